#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "base/device.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "measure/measurement.hpp"
#include "reference/cases.hpp"
#include "slab/ranks.hpp"

namespace psflip::reference {

Shape shape_of(const World& world) {
    Shape shape;
    shape.L = world.L;
    shape.replicas = world.replicas;
    shape.temperatures = world.slots();
    shape.realizations = world.realizations;
    shape.first_realization = world.first_realization;
    shape.share = world.share;
    shape.dimension = world.dimension;
    if (world.replica_lanes) shape.coding = Lanes::replicas;
    if (world.site_lanes) shape.coding = Lanes::sites;
    return shape;
}

Shape shape_of(const World& world, const Division& division, int rank) {
    Shape shape = shape_of(world);
    shape.order = division.order;
    if (division.slabs == 0 || share_sweeps_only(shape)) return shape;
    const SlabPlanes planes = planes_of_rank(world.L, rank, division.slabs);
    shape.first_plane = planes.first;
    shape.slab_planes = planes.count;
    return shape;
}

Model model_of(const World& world) {
    Model model;
    model.kind = world.ferromagnet ? ModelKind::ferromagnet : ModelKind::edwards_anderson;
    model.dimension = world.dimension;
    model.field = world.field;
    model.p_ferro = world.p_ferro;
    model.p_absent = world.p_absent;
    model.boundary = world.open ? Boundary::open : Boundary::periodic;
    model.update = world.heat_bath ? Update::heat_bath : Update::metropolis;
    if (world.demon_sites > 0) model.update = Update::demon;
    model.demon_sites = world.demon_sites;
    if (world.swendsen_wang) model.update = Update::swendsen_wang;
    if (world.wolff_clusters > 0) model.update = Update::wolff;
    model.wolff_clusters = world.wolff_clusters;
    return model;
}

std::vector<double> betas_of(const World& world) {
    std::vector<double> betas;
    for (double temperature : world.temperatures) betas.push_back(1.0 / temperature);
    return betas;
}

std::vector<std::int8_t> spins_of_words(const World& world, const std::vector<std::uint64_t>& canonical) {
    const std::int64_t R = world.realizations, T = world.slots(), N = world.sites(), packs = (R + 63) / 64;
    std::vector<std::int8_t> spins(R * world.replicas * T * N);
    for (std::int64_t r = 0; r < R; ++r)
        for (std::int64_t replica = 0; replica < world.replicas; ++replica)
            for (std::int64_t slot = 0; slot < T; ++slot)
                for (std::int64_t site = 0; site < N; ++site) {
                    const std::uint64_t word =
                        canonical.at(((replica * T + slot) * packs + r / 64) * N + site);
                    spins[((r * world.replicas + replica) * T + slot) * N + site] =
                        word >> (r % 64) & 1 ? 1 : -1;
                }
    return spins;
}

std::vector<std::uint64_t> words_of_spins(const World& world, const std::vector<std::int8_t>& spins) {
    const std::int64_t R = world.realizations, T = world.slots(), N = world.sites(), packs = (R + 63) / 64;
    std::vector<std::uint64_t> canonical(world.replicas * T * packs * N, 0);
    for (std::int64_t r = 0; r < R; ++r)
        for (std::int64_t replica = 0; replica < world.replicas; ++replica)
            for (std::int64_t slot = 0; slot < T; ++slot)
                for (std::int64_t site = 0; site < N; ++site)
                    if (spins[((r * world.replicas + replica) * T + slot) * N + site] > 0)
                        canonical[((replica * T + slot) * packs + r / 64) * N + site] |= std::uint64_t{1}
                                                                                         << (r % 64);
    return canonical;
}

namespace {

/// Returns the choice with the GPU of the rank's number, if it exists.
BackendChoice choice_of(const BackendChoice& choice, const Ranks& ranks) {
    BackendChoice mine = choice;
    if (choice.backend == "cuda" && cuda_available(ranks.rank())) mine.device = ranks.rank();
    return mine;
}

/// Calls f(index, index in whole lattices) for the sites of planes 0, ..., planes - 1 of a slab, counted from
/// number `first` of its order on; both indices are within one lattice, whose sites run (w, v, u) and
/// (z, y, x).
template <class F>
void for_each_slab_site(const Shape& shape, int first, int planes, F f) {
    const int L = shape.L;
    for (int w = 0, i = 0; w < planes; ++w)
        for (int v = 0; v < L; ++v)
            for (int u = 0; u < L; ++u, ++i) {
                int x = u, y = v, z = (first + w + L) % L;
                if (shape.order == SiteOrder::sliced) y = (v + u) % L, z = (z + v) % L;
                f(i, x + L * (y + L * z));
            }
}

/// Couplings as make_ising_ensemble wants them.
std::vector<std::int8_t> held_couplings(const World& world, const Shape& shape) {
    const auto whole = couplings(world);
    if (!shape.is_slab()) return whole;
    const std::int64_t held = shape.held_sites(), N = shape.sites();
    std::vector<std::int8_t> slab(whole.size() / N * held);
    for (std::size_t k = 0; k < whole.size() / N; ++k)
        for_each_slab_site(shape, shape.first_plane - shape.halo_planes(), shape.held_planes(),
                           [&](int i, int site) { slab[k * held + i] = whole[k * N + site]; });
    return slab;
}

/// What moves from one run to another; spins of whole lattices.
struct Moment {
    std::vector<std::uint64_t> spins;
    TemperingState tempering;
    Accumulators sums;
    std::vector<std::int32_t> energies, magnetisations;
    bool operator==(const Moment&) const = default;
};

/// The two objects of one run, or of one rank of it, driven as a program would.
class Machine {
  public:
    Machine(const Case& which, const BackendChoice& choice, const Division& division, Ranks& ranks)
        : case_(which), shape_(shape_of(which.world, division, ranks.rank())) {
        bins_ = block_bins(which.schedule);
        sampler_ = make_ising_sampler({choice_of(choice, ranks), shape_, betas_of(which.world),
                                       which.world.seed, held_couplings(which.world, shape_),
                                       static_cast<int>(which.schedule.sweeps_per_swap),
                                       model_of(which.world), &ranks});
        measurement_ = make_measurement(*sampler_, static_cast<int>(bins_.size()),
                                        which.schedule.histogram_bins, which.world.magnetisation);
    }

    void random_start() {
        IsingEnsemble& ensemble = sampler_->ensemble();
        ensemble.set_spins(random_spins(shape_, ensemble.key()));
    }

    void take_over(const Moment& from) {
        std::vector<std::uint64_t> own;
        for_own_words(from.spins, [&](const std::uint64_t& word, std::size_t) { own.push_back(word); });
        sampler_->ensemble().set_spins(own);
        sampler_->set_tempering(from.tempering);
        measurement_->set_accumulators(from.sums);
    }

    /// Sweeps [from, to) counted from the random start, from measurement to measurement.
    void advance(std::int64_t from, std::int64_t to) {
        const Schedule& s = case_.schedule;
        while (from < to) {
            const std::int64_t begin = s.thermalize_sweeps,
                               passed = std::max<std::int64_t>(0, from - begin) / s.measure_every;
            const std::int64_t next = std::min(to, begin + (passed + 1) * s.measure_every);
            sampler_->advance(from, next);
            from = next;
            const std::int64_t in_run = from - begin;
            if (in_run > s.run_first && in_run % s.measure_every == 0) measurement_->measure(bin(in_run));
        }
    }

    /// Copies the spins of this rank into the spins of whole lattices.
    void put_spins(std::vector<std::uint64_t>& whole) {
        const auto own = sampler_->ensemble().spins();
        if (!shape_.is_slab() && !sampler_->ensemble().ranks().is_first()) return;
        for_own_words(whole, [&](std::uint64_t& word, std::size_t i) { word = own.at(i); });
    }
    /// All but the spins.
    Moment moment() {
        IsingEnsemble& ensemble = sampler_->ensemble();
        ensemble.compute_energies();
        return {{},
                sampler_->tempering(),
                measurement_->accumulators(),
                ensemble.energies(),
                ensemble.magnetisations()};
    }

  private:
    /// Calls f(word of whole lattices, index of the own word).
    template <class Words, class F>
    void for_own_words(Words& whole, F f) const {
        const std::int64_t N = shape_.sites(), own = shape_.own_sites();
        for (std::int64_t k = 0; k < shape_.spin_words() / own; ++k)
            if (shape_.is_slab())
                for_each_slab_site(shape_, shape_.first_plane, shape_.own_planes(),
                                   [&](int i, int site) { f(whole.at(k * N + site), k * own + i); });
            else
                for (std::int64_t i = 0; i < N; ++i) f(whole.at(k * N + i), k * N + i);
    }
    int bin(std::int64_t sweep) const {
        for (std::size_t b = 0; b < bins_.size(); ++b)
            if (sweep > bins_[b].lower && sweep <= bins_[b].upper) return static_cast<int>(b);
        std::abort();
    }

    Case case_;
    Shape shape_;
    std::vector<Bin> bins_;
    std::unique_ptr<IsingSampler> sampler_;
    std::unique_ptr<Measurement> measurement_;
};

std::int64_t end_of(const Case& which) {
    return which.schedule.thermalize_sweeps + which.schedule.run_last;
}

/// Runs the sweeps [from, to), from `start` or, if it is null, from the random start.
Moment run(const Case& which, const BackendChoice& choice, const Division& division, const Moment* start,
           std::int64_t from, std::int64_t to) {
    const int ranks = std::max(1, division.slabs);
    std::vector<Moment> ends(ranks);
    std::vector<std::uint64_t> spins(shape_of(which.world).spin_words());
    const auto run_rank = [&](Ranks& mine) {
        Machine machine(which, choice, division, mine);
        if (start)
            machine.take_over(*start);
        else
            machine.random_start();
        machine.advance(from, to);
        ends[mine.rank()] = machine.moment();
        machine.put_spins(spins);
    };
    if (division.slabs == 0)
        run_rank(single_rank());
    else
        with_local_ranks(ranks, run_rank);
    for (const Moment& end : ends)
        if (end != ends[0]) throw std::logic_error("ranks end with unequal results");
    ends[0].spins = spins;
    return ends[0];
}

Result result_of(const Case& which, const Moment& end) {
    return {spins_of_words(which.world, end.spins), end.energies, end.tempering, end.sums,
            end.magnetisations};
}

}  // namespace

Result run_library(const Case& which, const BackendChoice& choice, const Division& division) {
    return result_of(which, run(which, choice, division, nullptr, 0, end_of(which)));
}

Result run_library_in_two(const Case& which, const BackendChoice& choice, std::int64_t cut,
                          const Division& before, const Division& after) {
    const Moment middle = run(which, choice, before, nullptr, 0, cut);
    return result_of(which, run(which, choice, after, &middle, cut, end_of(which)));
}

std::vector<std::string> simd_levels() {
    std::vector<std::string> levels{"scalar"};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) levels.push_back("avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        levels.push_back("avx512");
#endif
    const char* chosen = std::getenv("PSFLIP_TEST_SIMD");
    if (chosen && std::string(chosen) == "best") levels = {levels.back()};
    return levels;
}

ForceSimd::ForceSimd(const std::string& level) {
    const char* before = std::getenv("PSFLIP_SIMD");
    was_set_ = before != nullptr;
    if (was_set_) before_ = before;
    setenv("PSFLIP_SIMD", level.c_str(), 1);
}

ForceSimd::~ForceSimd() {
    if (was_set_)
        setenv("PSFLIP_SIMD", before_.c_str(), 1);
    else
        unsetenv("PSFLIP_SIMD");
}

void Hash::add(const void* data, std::size_t bytes) {
    const unsigned char* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) state_ = (state_ ^ at[i]) * 1099511628211ull;
}

std::string Hash::text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
    return digits;
}

}  // namespace psflip::reference
