#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "slab/halo_way.hpp"
#include "slab/peer_halo_cuda.cuh"
#include "slab/staged_halo_cuda.cuh"
#include "sweep/vector/vector_ensemble.hpp"
#include "sweep/vector/vector_kernels_cuda.cuh"
#include "sweep/vector/vector_layout.hpp"
#include "sweep/vector/vector_shared_cuda.cuh"

namespace psflip {
namespace {

constexpr int swap_threads = 256, word_threads = 128;
constexpr unsigned max_pairs = 65535, max_packs = 65535;  // of a launch

template <class T>
__global__ void vector_swap_kernel(T* spins, const StatePair* pairs, std::size_t numbers) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= numbers) return;
    const StatePair pair = pairs[blockIdx.y];
    T &a = spins[pair.first * numbers + i], &b = spins[pair.second * numbers + i];
    const T kept = a;
    a = b;
    b = kept;
}

/// Exchanges the spins of pairs of states, each of `numbers` numbers.
template <class T>
void launch_vector_swap(T* spins, const StatePair* pairs, unsigned count, std::size_t numbers,
                        cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((numbers + swap_threads - 1) / swap_threads);
    for (unsigned first = 0; first < count; first += max_pairs)
        launch(vector_swap_kernel<T>, dim3(blocks, std::min(max_pairs, count - first)), dim3(swap_threads), 0,
               stream, spins, pairs + first, numbers);
}

/// Collects the signs of Ising spins in words (lattice, pack64, own site). A lattice is a replica at a slot.
/// A thread makes a word from 64 realizations.
template <class T>
__global__ void spin_words_kernel(const __grid_constant__ VectorLattices<T> of, unsigned first_row,
                                  unsigned sites, unsigned packs, unsigned first, unsigned long long* words) {
    const unsigned site = blockIdx.x * blockDim.x + threadIdx.x, number = first + blockIdx.y;
    if (site >= sites) return;
    const Geometry& g = of.geometry;
    const unsigned x = site % g.L, row = first_row + site / g.L, colour = (x + row % g.L + row / g.L) & 1u;
    const unsigned begin = number % packs * 64, count = min(64u, of.realizations - begin);
    const T* spin = of.spins + (std::size_t{number / packs} * of.realizations + begin) * g.sites +
                    colour * g.colour_sites + row * g.half + x / 2;
    unsigned long long word = 0;
    for (unsigned k = 0; k < count; ++k, spin += g.sites)
        word |= static_cast<unsigned long long>(*spin > 0) << k;
    words[std::size_t{number} * sites + site] = word;
}

int selected_device(int device) {
    PSFLIP_CUDA(cudaSetDevice(device));
    return device;
}

template <class T>
std::vector<T> narrowed(const std::vector<double>& from) {
    return {from.begin(), from.end()};
}

/// Returns how halos of slabs travel (halo_way), and an empty text for whole lattices.
std::string way_of(const VectorSetup& setup, Ranks& ranks, const std::string& wanted, int device) {
    if (!setup.is_slab()) return {};
    return halo_way(ranks, wanted, [&] { return peer_hindrance(ranks, device); });
}

template <class T>
DeviceBuffer<T> spins_buffer(const VectorSetup& setup, bool for_peers) {
    const auto numbers = static_cast<std::size_t>(setup.states() * setup.components() * setup.held_sites());
    return for_peers ? DeviceBuffer<T>::for_peers(numbers, "spins") : DeviceBuffer<T>(numbers, "spins");
}

template <class T>
class VectorEnsembleCuda : public VectorEnsemble {
  public:
    VectorEnsembleCuda(const VectorSetup& setup, int device, int sites_of_thread, Ranks& ranks,
                       const std::string& halo)
        : VectorEnsemble(setup, ranks),
          device_(cuda_device_name(selected_device(device))),
          way_(way_of(setup, ranks, halo, device)),
          spins_(spins_buffer<T>(setup, way_ == "peer")),
          betas_(setup.betas.size(), "temperatures"),
          widths_(static_cast<std::size_t>(setup.states()), "widths of cones"),
          zeros_(max_sites_of_place, "zeros"),
          pairs_(static_cast<std::size_t>(setup.states() / 2 + 1), "pairs of states"),
          renewed_(static_cast<std::size_t>(setup.states()), "numbers of spins renewed"),
          sums_(static_cast<std::size_t>(setup.states() * vector_sums), "sums"),
          blocks_done_(static_cast<std::size_t>(setup.states()), "blocks of sums"),
          sums_on_host_(sums_.size()) {
        betas_.upload(narrowed<T>(setup.betas), stream_.handle);
        widths_.upload(std::vector<T>(widths_.size(), T(2)), stream_.handle);
        zeros_.zero(stream_.handle);
        renewed_.zero(stream_.handle);
        sums_.zero(stream_.handle);
        blocks_done_.zero(stream_.handle);
        upload_disorder();
        args_.lattices = view();
        args_.constants = setup.constants<T>();
        args_.states = static_cast<unsigned>(setup.states());
        args_.key = setup.key();
        args_.rounds = PhiloxRounds(args_.key);
        args_.renewed = renewed_.data();
        args_.sites_of_thread = sites_of_thread;
        args_.multiprocessors = static_cast<unsigned>(cuda_multiprocessors(device));
        // On an H100, groups that fill two thirds of the L2 cache take 8% longer than groups that fill half.
        const std::int64_t lattices = setup.states_in(cuda_cache_bytes(device) / 8 * 5, sizeof(T));
        args_.exceeds_cache = lattices == 0;
        const std::int64_t other_groups = (setup.states() - 1) / std::max<std::int64_t>(lattices, 1);
        lattices_of_group_ = static_cast<unsigned>((setup.states() + other_groups) / (other_groups + 1));
        const auto plane = static_cast<unsigned>(setup.L * setup.L / 2);
        args_.first_site = static_cast<unsigned>(setup.halo_planes()) * plane;
        args_.end_site = args_.first_site + static_cast<unsigned>(setup.own_planes()) * plane;
        if (way_ == "peer") {
            peers_ = std::make_unique<PeerHalo>(
                ranks,
                Shape{.L = setup.L, .first_plane = setup.first_plane, .slab_planes = setup.slab_planes},
                std::vector<uint4*>{reinterpret_cast<uint4*>(spins_.data())});
            args_.by_peers = true;
            args_.early = peers_->early();
            args_.sites_of_thread = sites_of_small_slab(sites_of_thread, device);
        } else if (setup.is_slab()) {
            halos_ = halos_in_messages();
        }
        if constexpr (std::is_same_v<T, float>)
            shared_ = std::make_unique<VectorSharedSweeps>(setup, args_, device);
    }

    Backend backend() const override { return Backend::cuda; }
    std::string description() const override {
        return "cuda " + device_ + (way_.empty() ? "" : ", halos by " + way_);
    }
    void synchronize() const override {
        PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle));
        check_peers();
    }

    void set_spins(const std::vector<double>& spins) override {
        check_spins(spins);
        spins_.upload(spins_by_colour<T>(setup_, spins), stream_.handle);
        const Halos once = peers_ ? halos_in_messages() : Halos();
        for (const auto& halo : peers_ ? once : halos_)
            for (int colour = 0; colour < 2; ++colour) halo->exchange(colour, stream_.handle);
    }
    std::vector<double> spins() const override { return by_site(setup_, downloaded<T>(spins_)); }
    std::vector<std::uint64_t> spin_words() const override {
        const auto sites = static_cast<unsigned>(setup_.own_sites()),
                   packs = static_cast<unsigned>(setup_.packs64());
        const DeviceBuffer<unsigned long long> words(setup_.spin_words(), "words of spins");
        const auto all = static_cast<unsigned>(words.size() / sites);
        for (unsigned first = 0; first < all; first += max_packs)
            psflip::launch(spin_words_kernel<T>,
                           dim3((sites + word_threads - 1) / word_threads, std::min(max_packs, all - first)),
                           dim3(word_threads), 0, stream_.handle, args_.lattices,
                           static_cast<unsigned>(setup_.halo_planes() * setup_.L), sites, packs, first,
                           words.data());
        return downloaded<std::uint64_t>(words);
    }
    void swap_states(const std::vector<StatePair>& pairs) override {
        if (pairs.empty()) return;
        upload(pairs);
        launch_vector_swap(spins_.data(), pairs_.data(), static_cast<unsigned>(pairs.size()),
                           static_cast<std::size_t>(setup_.components() * setup_.held_sites()),
                           stream_.handle);
    }
    HoudayerCounts houdayer_counts() const override {
        if (!houdayer_counts_.clusters()) return {setup_.realizations, setup_.slots()};
        return houdayer_counts_.download(
            setup_.realizations, setup_.slots(), stream_.handle,
            [&](std::int64_t r, std::int64_t slot) { return slot * setup_.realizations + r; });
    }

  private:
    using Halos = std::vector<std::unique_ptr<PlaneHalo>>;  ///< (component)

    void upload(std::vector<StatePair> pairs) {
        pairs.resize(pairs_.size());
        pairs_.upload(pairs, stream_.handle);
    }
    void swap_clusters(const std::vector<StatePair>& pairs, std::int64_t completed) override {
        if (pairs.empty()) return;
        if (!houdayer_counts_.clusters())
            houdayer_counts_ = {static_cast<std::size_t>(setup_.slots() * setup_.realizations),
                                stream_.handle};
        upload(pairs);
        launch_vector_clusters(args_, pairs_.data(), static_cast<unsigned>(pairs.size()), completed,
                               clusters_, houdayer_counts_, stream_.handle);
    }
    /// Returns what a buffer has after all work so far.
    template <class To, class From>
    std::vector<To> downloaded(const DeviceBuffer<From>& buffer) const {
        std::vector<To> found(buffer.size());
        buffer.download(found, stream_.handle);
        check_peers();
        return found;
    }
    void check_peers() const {
        if (peers_) peers_->check();
    }
    /// Returns fewer sites of a thread, until a launch has min_blocks blocks for each multiprocessor. Then
    /// the time of a thread does not limit a small slab.
    int sites_of_small_slab(int sites, int device) const {
        constexpr int min_blocks = 8;
        const std::int64_t all = setup_.states() * setup_.own_sites() / 2,
                           threads =
                               std::int64_t{min_blocks} * cuda_multiprocessors(device) * vector_sweep_threads;
        while (sites > 1 && all < threads * sites) sites /= 2;
        return sites;
    }
    Halos halos_in_messages() const {
        Halos halos;
        for (int k = 0; k < setup_.components(); ++k)
            halos.push_back(std::make_unique<PlaneHalo>(ranks(), memory_of(k), way_ == "mpi"));
        return halos;
    }
    std::vector<std::uint64_t> take_own_renewed() override {
        auto renewed = downloaded<std::uint64_t>(renewed_);
        renewed_.zero(stream_.handle);
        return renewed;
    }
    std::vector<std::int64_t> own_sums() const override {
        launch_vector_sums(args_, setup_.terms(), setup_.components(), setup_.units(),
                           {sums_.data(), blocks_done_.data(), sums_on_host_.data()}, stream_.handle);
        synchronize();
        return {sums_on_host_.data(), sums_on_host_.data() + sums_on_host_.size()};
    }
    /// Returns the memory of component k, for halos.
    CpuHalo::Memory memory_of(int k) const {
        const std::int64_t L = setup_.L, plane = L * L / 2, colour_sites = plane * setup_.held_planes(),
                           components = setup_.components();
        return {reinterpret_cast<std::byte*>(spins_.data() + k * colour_sites),
                setup_.states(),
                static_cast<std::int64_t>(2 * components * colour_sites * sizeof(T)),
                setup_.halo_planes(),
                setup_.halo_planes() + setup_.own_planes(),
                [=](int colour, int w) {
                    const std::int64_t first = colour * components * colour_sites + w * plane;
                    return CpuHalo::Memory::Part{static_cast<std::int64_t>(first * sizeof(T)),
                                                 static_cast<std::int64_t>(plane * sizeof(T))};
                }};
    }
    void put_widths(const std::vector<double>& widths) override {
        widths_.upload(narrowed<T>(widths), stream_.handle);
    }
    void put_betas(const std::vector<double>& betas) override {
        betas_.upload(narrowed<T>(betas), stream_.handle);
    }
    void put_field(double field) override { args_.constants.field = static_cast<T>(field); }
    void run_sweeps(VectorUpdate update, std::int64_t first, int count) override {
        if (count == 0) return;
        if (setup_.tile > 0) return update_tiles(update, first, count);
        if (!setup_.is_slab()) return sweep_lattices(update, first, count);
        if (peers_) peers_->ready(stream_.handle);
        for (std::int64_t sweep = first; sweep < first + count; ++sweep)
            for (unsigned colour = 0; colour < 2; ++colour) {
                VectorSweepArgs<T> args = args_;
                args.colour = colour;
                args.sweep = static_cast<std::uint64_t>(sweep);
                if (peers_) args.links = peers_->next_launch(0);
                if (halos_.empty())
                    launch(args, update, stream_.handle);
                else
                    launch_with_messages(args, update);
            }
        if (peers_) peers_->settle(stream_.handle);
    }
    /// Sweeps whole lattices. If they do not fit in the L2 cache, one group of lattices makes all sweeps
    /// before the next group. The heat bath in double has one group, because its arithmetic takes as long as
    /// its accesses to memory. Ising spins have one group, because two groups took 30% longer (H100, 32 MiB).
    void sweep_lattices(VectorUpdate update, std::int64_t first, int count) {
        if constexpr (std::is_same_v<T, float>)
            if (shared_->sweep(args_, update, first, count, spins_, stream_.handle)) {
                args_.lattices.spins = spins_.data();
                return;
            }
        VectorSweepArgs<T> args = args_;
        const bool all =
            setup_.components() == 1 || (sizeof(T) == sizeof(double) && update == VectorUpdate::heat_bath);
        const unsigned group = all ? args_.states : lattices_of_group_;
        for (; args.first_state < args_.states; args.first_state += args.states) {
            args.states = std::min(group, args_.states - args.first_state);
            for (std::int64_t sweep = first; sweep < first + count; ++sweep) {
                args.sweep = static_cast<std::uint64_t>(sweep);
                for (args.colour = 0; args.colour < 2; ++args.colour) launch(args, update, stream_.handle);
            }
        }
    }
    /// Makes the steps of the double checkerboard.
    void update_tiles(VectorUpdate update, std::int64_t first, int count) {
        VectorSweepArgs<T> args = args_;
        for (std::int64_t sweep = first; sweep < first + count; sweep += setup_.hits) {
            const FirstColours begin = first_colours(setup_.tile_order, sweep / setup_.hits);
            args.sweep = static_cast<std::uint64_t>(sweep);
            for (int half = 0; half < 2; ++half)
                launch_tiles({static_cast<unsigned>(setup_.tile), static_cast<unsigned>(setup_.hits),
                              static_cast<unsigned>(half ^ begin.tiles), static_cast<unsigned>(begin.sites)},
                             args, update);
        }
    }
    void launch_tiles(const VectorTiles& tiles, const VectorSweepArgs<T>& args, VectorUpdate update) {
        if constexpr (sizeof(T) == sizeof(float))
            if (setup_.precision == Precision::fast)
                return launch_fast_vector_tiles(args, tiles, setup_.terms(), update, stream_.handle);
        launch_vector_tiles(args, tiles, setup_.terms(), setup_.components(), update, stream_.handle);
    }
    /// Updates the outermost planes first, so that their messages travel while all other planes are updated.
    void launch_with_messages(const VectorSweepArgs<T>& args, VectorUpdate update) {
        const unsigned plane = args.lattices.geometry.plane;
        const auto launch_sites = [&](unsigned first, unsigned end, cudaStream_t stream) {
            VectorSweepArgs<T> some = args;
            some.first_site = first, some.end_site = end;
            if (first < end) launch(some, update, stream);
        };
        const cudaStream_t ahead = halos_.front()->begin(stream_.handle);
        launch_sites(args.first_site, args.first_site + plane, ahead);
        launch_sites(args.end_site - plane, args.end_site, ahead);
        for (std::size_t k = 1; k < halos_.size(); ++k) halos_[k]->begin(ahead);
        for (const auto& halo : halos_) halo->start({static_cast<int>(args.colour)});
        launch_sites(args.first_site + plane, args.end_site - plane, stream_.handle);
        for (const auto& halo : halos_) halo->finish(stream_.handle);
    }

    void launch(const VectorSweepArgs<T>& args, VectorUpdate update, cudaStream_t stream) {
        if constexpr (sizeof(T) == sizeof(float))
            if (setup_.precision == Precision::fast)
                return launch_fast_vector_sweep(args, setup_.terms(), update, stream);
        launch_vector_sweep(args, setup_.terms(), setup_.components(), update, stream);
    }

    template <class To>
    DeviceBuffer<To> uploaded(const std::vector<To>& numbers, const char* what) {
        DeviceBuffer<To> buffer(numbers.size(), what);
        buffer.upload(numbers, stream_.handle);
        return buffer;
    }
    void upload_disorder() {
        if (setup_.terms() == VectorTerms::bonds)
            couplings_ = uploaded(by_colour<T>(setup_, setup_.couplings), "couplings");
        if (setup_.terms() == VectorTerms::species)
            species_ = uploaded(by_colour<std::uint8_t>(setup_, species_of_all(setup_)), "species");
    }
    VectorLattices<T> view() const {
        return {.geometry = make_slab(setup_.L, setup_.held_planes()),
                .realizations = static_cast<unsigned>(setup_.realizations),
                .slots = static_cast<unsigned>(setup_.slots()),
                .first_realization = static_cast<unsigned>(setup_.first_realization),
                .open = setup_.open(),
                .planar = setup_.dimension() == 2,
                .spins = spins_.data(),
                .species = species_.data(),
                .couplings = couplings_.data(),
                .betas = betas_.data(),
                .widths = widths_.data(),
                .lowest = static_cast<unsigned>(setup_.lowest_plane()),
                .zeros = zeros_.data()};
    }

    std::string device_, way_;  ///< way_: of halos (halo_way), empty for whole lattices
    Stream stream_;
    DeviceBuffer<T> spins_, betas_, widths_, zeros_, couplings_;
    DeviceBuffer<StatePair> pairs_;
    DeviceBuffer<std::uint32_t> clusters_;  ///< memory for Houdayer moves
    DeviceHoudayerCounts houdayer_counts_;  ///< (slot, realization); without memory before the first move
    DeviceBuffer<unsigned long long> renewed_;
    DeviceBuffer<std::uint8_t> species_;
    DeviceBuffer<unsigned long long> sums_;  ///< see SumsMemory
    DeviceBuffer<unsigned> blocks_done_;
    PinnedBuffer<unsigned long long> sums_on_host_;
    VectorSweepArgs<T> args_{};
    unsigned lattices_of_group_ = 1;              ///< that one launch of the colour kernel sweeps
    std::unique_ptr<VectorSharedSweeps> shared_;  ///< of whole lattices of float spins
    Halos halos_;                                 ///< if halos travel in messages
    std::unique_ptr<PeerHalo> peers_;             ///< if kernels write halos
};

}  // namespace

std::unique_ptr<VectorEnsemble> make_vector_ensemble_cuda(const VectorSetup& setup, int device,
                                                          int sites_of_thread, Ranks& ranks,
                                                          const std::string& halo) {
    if (setup.precision == Precision::twofold)
        return std::make_unique<VectorEnsembleCuda<double>>(setup, device, sites_of_thread, ranks, halo);
    return std::make_unique<VectorEnsembleCuda<float>>(setup, device, sites_of_thread, ranks, halo);
}

}  // namespace psflip
