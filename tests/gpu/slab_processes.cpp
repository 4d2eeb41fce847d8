// Slabs of processes with a GPU each, whose halos are written through memory handles. After some sweeps and
// exchanges their spins and energies equal the spins and energies of whole lattices on one GPU. Processes
// that share a square have the words of the CPU. With the argument "vectors", processes share lattices of
// vector spins, which have the spins of the CPU. With the argument "damaged", memory handles cannot be opened
// on one rank, and all take another way. Forks before CUDA is used. Returns 77 without two GPUs.

#include <cstdio>
#include <string>

#include "base/device.hpp"
#include "base/error.hpp"
#include "evolution/move_sampler.hpp"
#include "forked_ranks.hpp"
#include "simulation.hpp"
#include "sweep/sites/large_lattice.hpp"
#include "unit/sweep/vector/vector_cases.hpp"

using namespace psflip;

namespace {

constexpr int seats = 2, period = 3, sweeps = 12;
constexpr int skipped = 77;  ///< exit code that CTest counts as skipped

/// A plane's spins of all replicas, temperatures and packs in the whole lattice and in the slab.
template <class F>
void for_each_own_word(const Shape& whole, const Shape& slab, F f) {
    const std::int64_t lattices = whole.spin_words() / whole.sites(), plane = std::int64_t{whole.L} * whole.L;
    for (std::int64_t k = 0; k < lattices; ++k)
        for (std::int64_t i = 0; i < slab.own_sites(); ++i)
            f(k * whole.sites() + slab.first_plane * plane + i, k * slab.own_sites() + i);
}

std::vector<std::int8_t> held_couplings(const Shape& whole, const Shape& slab) {
    const auto all = Simulation::couplings(whole);
    std::vector<std::int8_t> held;
    const std::int64_t plane = std::int64_t{whole.L} * whole.L;
    for (std::int64_t k = 0; k < 3 * whole.realizations; ++k)
        for (int w = 0; w < slab.held_planes(); ++w) {
            const std::int64_t z = (slab.first_plane - halo_depth + w + whole.L) % whole.L;
            const auto first = all.begin() + k * whole.sites() + z * plane;
            held.insert(held.end(), first, first + plane);
        }
    return held;
}

/// What a rank, or one GPU alone, leaves.
std::vector<std::int32_t> advance(IsingSampler& sampler, std::vector<std::uint64_t>& spins) {
    sampler.ensemble().set_spins(spins);
    sampler.advance(0, sweeps);
    sampler.ensemble().compute_energies();
    spins = sampler.ensemble().spins();
    return sampler.ensemble().energies();
}

void run_rank(Ranks& ranks, const Shape& whole, const std::string& kernel, std::uint64_t* all_spins,
              std::int32_t* energies) {
    std::string why;
    if (!cuda_available(ranks.rank(), &why)) throw std::runtime_error(why);
    Shape slab = whole;
    const SlabPlanes planes = planes_of_rank(whole.L, ranks.rank(), ranks.size());
    slab.first_plane = planes.first, slab.slab_planes = planes.count;
    BackendChoice choice{.backend = "cuda", .threads = 0, .device = ranks.rank(), .kernel = kernel};
    choice.halo = "peer";
    const auto sampler = make_ising_sampler({choice,
                                             slab,
                                             Simulation::betas(slab.temperatures),
                                             Simulation::seed,
                                             held_couplings(whole, slab),
                                             period,
                                             {},
                                             &ranks});
    const auto start = random_spins(whole, Simulation::seed);
    std::vector<std::uint64_t> spins(slab.spin_words());
    for_each_own_word(whole, slab, [&](std::int64_t from, std::int64_t to) { spins[to] = start[from]; });
    const auto found = advance(*sampler, spins);
    for_each_own_word(whole, slab, [&](std::int64_t to, std::int64_t from) { all_spins[to] = spins[from]; });
    if (ranks.is_first()) std::copy(found.begin(), found.end(), energies);
    ranks.barrier();
}

bool equal_to_whole(const Shape& whole, const std::string& kernel) {
    auto* const spins = shared_by_processes<std::uint64_t>(whole.spin_words());
    auto* const energies = shared_by_processes<std::int32_t>(whole.lanes() * 64);
    if (ForkedRanks(seats).run([&](Ranks& ranks) { run_rank(ranks, whole, kernel, spins, energies); }) > 0)
        return false;
    // The parent has not used CUDA, and does not: a child makes the whole lattices, too.
    const int unequal = ForkedRanks(1).run([&](Ranks& ranks) {
        const auto sampler = make_ising_sampler({{.backend = "cuda"},
                                                 whole,
                                                 Simulation::betas(whole.temperatures),
                                                 Simulation::seed,
                                                 Simulation::couplings(whole),
                                                 period,
                                                 {},
                                                 &ranks});
        auto wanted = random_spins(whole, Simulation::seed);
        const auto wanted_energies = advance(*sampler, wanted);
        if (!std::equal(wanted.begin(), wanted.end(), spins)) throw std::runtime_error("unequal spins");
        if (!std::equal(wanted_energies.begin(), wanted_energies.end(), energies))
            throw std::runtime_error("unequal energies");
    });
    std::printf("L %d share %d %s%s: %s\n", whole.L, whole.share, kernel.c_str(),
                whole.coding == Lanes::replicas ? " lanes: replicas" : "", unequal ? "UNEQUAL" : "equal");
    return unequal == 0;
}

/// Returns whether processes that share a square leave the words and sums of the CPU.
bool equal_square(const LargeLatticeSetup& setup) {
    const int unequal = ForkedRanks(seats).run([&](Ranks& ranks) {
        const auto host = make_large_lattice({.backend = "cpu"}, setup),
                   device = make_large_lattice({.backend = "cuda", .device = ranks.rank(), .halo = "peer"},
                                               setup, ranks);
        for (const auto& lattice : {host.get(), device.get()}) lattice->advance(sweeps);
        const auto words = device->words();
        const LatticeSums sums = device->sums();
        if (words != host->words() || sums != host->sums()) throw std::runtime_error("unequal square");
    });
    std::printf("square L %d tile %d: %s\n", setup.L, setup.tile, unequal ? "UNEQUAL" : "equal");
    return unequal == 0;
}

/// Throws if processes that share lattices of vector spins leave other spins or sums than the CPU.
void check_vectors(const VectorCase& which, Ranks& ranks) {
    const VectorSetup slab = slab_of_rank(which.setup, ranks);
    const auto whole = make_vector_ensemble({.backend = "cpu"}, which.setup),
               mine = make_vector_ensemble({.backend = "cuda", .device = ranks.rank(), .halo = "peer"}, slab,
                                           ranks);
    for (VectorEnsemble* ensemble : {whole.get(), mine.get()}) {
        ensemble->set_spins(random_spins(ensemble->setup()));
        for (const VectorUpdate update : which.updates) ensemble->sweep(update, 7, sweeps);
    }
    if (mine->integer_sums() != whole->integer_sums() || mine->spins() != own_spins_of(slab, whole->spins()))
        throw std::runtime_error(which.name + ": unequal");
    ranks.barrier();
    if (ranks.is_first()) std::printf("%s: equal\n", which.name.c_str());
}
void check_all_vectors(Ranks& ranks) {
    for (const Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision))
            if (which.setup.dimension() == 3 && which.setup.L >= 4) check_vectors(which, ranks);
}

/// Ranks of which rank 1 gets long messages of rank 0 damaged: memory handles, not names.
class DamagedRanks final : public Ranks {
  public:
    explicit DamagedRanks(Ranks& whole) : whole_(whole) { rank_ = whole.rank(), size_ = whole.size(); }
    bool share_memory() const override { return whole_.share_memory(); }
    void finish_exchange() override { whole_.finish_exchange(); }
    void sum(std::span<std::int32_t> values) override { whole_.sum(values); }
    void sum(std::span<std::int64_t> values) override { whole_.sum(values); }
    void broadcast(std::span<std::byte> bytes, int from) override {
        whole_.broadcast(bytes, from);
        constexpr std::size_t long_message = 200, handles = 48;
        if (rank_ != 1 || from != 0 || bytes.size() <= long_message) return;
        for (std::byte& byte : bytes.subspan(handles)) byte = ~byte;
    }
    void all_to_all(std::span<const std::byte> mine, std::span<const std::size_t> to,
                    std::span<std::byte> theirs, std::span<const std::size_t> from) override {
        whole_.all_to_all(mine, to, theirs, from);
    }
    void abort(int code) noexcept override { whole_.abort(code); }

  private:
    void begin_exchange(const Messages& messages) override { whole_.start_exchange(messages); }

    Ranks& whole_;
};

/// Whether all ranks take another way, or end together where they may not.
void check_other_way(Ranks& whole) {
    DamagedRanks ranks(whole);
    Shape slab{8, 1, 1, 1, 0, 32};
    const SlabPlanes planes = planes_of_rank(slab.L, ranks.rank(), ranks.size());
    slab.first_plane = planes.first, slab.slab_planes = planes.count;
    const std::vector<std::int8_t> couplings(3 * slab.held_sites(), 1);
    BackendChoice choice{.backend = "cuda", .threads = 0, .device = ranks.rank()};
    const std::string found =
        make_ising_ensemble({choice, slab, {1.0}, 1, couplings, 0, {}, &ranks})->description();
    if (found.find("halos by host") == std::string::npos) throw std::runtime_error(found);
    choice.halo = "peer";
    try {
        make_ising_ensemble({choice, slab, {1.0}, 1, couplings, 0, {}, &ranks});
    } catch (const EnvironmentError& error) {
        std::printf("rank %d: %s\n", ranks.rank(), error.what());
        if (error.of_all_ranks()) return;
    }
    throw std::runtime_error("--halo peer was not refused on all ranks");
}

}  // namespace

int main(int arguments, char** texts) {
    // A child looks, because the parent forks and does not use CUDA.
    auto* const are_there = shared_by_processes<bool>(1);
    if (ForkedRanks(1).run([&](Ranks&) { *are_there = cuda_available(seats - 1); }) != 0) return 1;
    if (!*are_there) {
        std::printf("there are not %d GPUs\n", seats);
        return skipped;
    }
    const std::string what = arguments > 1 ? texts[1] : "";
    if (what == "vectors") return ForkedRanks(seats).run(check_all_vectors) == 0 ? 0 : 1;
    if (what == "damaged") return ForkedRanks(seats).run(check_other_way) == 0 ? 0 : 1;
    bool equal = true;
    for (int L : {8, 10, 20, 64})
        for (int share : {1, 32, 128})
            for (const char* kernel : {"streaming", "tiled"}) {
                if (share == 1 && kernel == std::string("tiled")) continue;
                const Shape whole{L, 2, L == 64 ? 2 : 5, 130, 0, share};
                equal = equal_to_whole(whole, kernel) && equal;
            }
    for (int L : {8, 20, 64})
        equal = equal_to_whole({.L = L,
                                .replicas = 2,
                                .temperatures = 5,
                                .realizations = 3,
                                .share = 1,
                                .coding = Lanes::replicas},
                               "auto") &&
                equal;
    for (const int tile : {0, 4}) equal = equal_square({.L = 1024, .beta = 0.44, .tile = tile}) && equal;
    return equal ? 0 : 1;
}
