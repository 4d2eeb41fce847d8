#include "base/device.hpp"
#include "base/stream.cuh"
#include "sweep/stateful/ferromagnet_memory.hpp"
#include "sweep/stateful/site_buffer_cuda.cuh"
#include "sweep/stateful/stream_buffer_cuda.cuh"

namespace psflip {
namespace {

constexpr int block_threads = 256;

/// Adds a thread's change of the energy over 4 to the sum, two's complement.
__device__ __forceinline__ void add_change(unsigned long long* energy, std::int64_t change) {
    for (int lanes = 16; lanes > 0; lanes /= 2) change += __shfl_down_sync(~0u, change, lanes);
    if (threadIdx.x % 32 == 0) atomicAdd(energy, static_cast<unsigned long long>(change));
}

/// A thread for each stream: a phase.
template <int Degree, class G>
__global__ void __launch_bounds__(block_threads)
    streams_kernel(FerromagnetView lattice, StreamsView<G> streams, std::uint64_t sweep, std::uint32_t phase,
                   unsigned long long* energy) {
    const std::uint32_t stream = blockIdx.x * blockDim.x + threadIdx.x;
    const bool works = stream < lattice.layout.streams;
    add_change(energy, works ? update_ferromagnet<Degree>(lattice, streams, stream, sweep, phase) : 0);
}

/// A block for each ring, of as many threads as the ring is wide, rounded up to whole warps.
template <int Degree, class G>
__global__ void rings_kernel(FerromagnetView lattice, StreamsView<G> streams, std::uint64_t sweep,
                             std::uint32_t phase, unsigned long long* energy) {
    const std::uint32_t sites = lattice.sites.sites_of_phase(), stream = blockIdx.x;
    const auto width = static_cast<int>(lattice.layout.width);
    G ring = streams.stream(stream, lattice.drawn(stream, sweep, phase));
    std::int64_t change = 0;
    for (std::uint32_t i = lattice.layout.first_site(stream); i < sites; i += lattice.layout.step()) {
        const std::uint32_t number = draw_side_by_side(ring, width), mine = i + threadIdx.x;
        if (static_cast<int>(threadIdx.x) < width && mine < sites)
            change += update_ferromagnet_site<Degree>(lattice, phase * sites + mine, number);
    }
    add_change(energy, change);
}

template <class Listed, int Degree>
class FerromagnetCuda : public Ferromagnet {
    using G = typename Listed::G;

  public:
    FerromagnetCuda(const FerromagnetSetup& setup, const Listed& listed, int device)
        : Ferromagnet(setup, cuda_device_name(chosen_device(device))),
          host_(setup),
          streams_(StreamSet<G>(setup.layout.streams, {setup.seed, listed.in_sequence}), stream_.handle),
          spins_(host_.spins().size(), "spins"),
          sites_(host_.table(), stream_.handle),
          change_(1, "energy") {
        lattice_ = host_.view();
        lattice_.spins = spins_.data();
        lattice_.sites = sites_.view();
        lattice_.thresholds = range_thresholds(G::range, setup.beta);
        start();
    }
    void sweep(int count) override {
        for (int i = 0; i < count; ++i, ++completed_)
            for (std::uint32_t phase = 0; phase < lattice_.sites.phases; ++phase) update(phase);
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }
    void set_spins(const std::vector<std::int8_t>& spins) override {
        host_.set_spins(spins);
        start();
    }
    std::vector<std::int8_t> spins() const override {
        std::vector<std::int32_t> found(spins_.size());
        spins_.download(found, stream_.handle);
        return host_.in_rows(found);
    }
    std::int64_t energy() const override {
        std::vector<unsigned long long> change(1);
        change_.download(change, stream_.handle);
        return at_start_ + 4 * static_cast<std::int64_t>(change[0]);
    }

  private:
    void start() {
        spins_.upload(host_.spins(), stream_.handle);
        at_start_ = host_.energy(host_.spins());
        change_.zero(stream_.handle);
    }
    void update(std::uint32_t phase) {
        const StreamLayout& layout = lattice_.layout;
        if constexpr (Listed::ring)
            launch(rings_kernel<Degree, G>, dim3(layout.streams), dim3((layout.width + 31) / 32 * 32), 0,
                   stream_.handle, lattice_, streams_.view(), completed_, phase, change_.data());
        else
            launch(streams_kernel<Degree, G>, dim3(blocks_for(layout.streams, block_threads)),
                   dim3(block_threads), 0, stream_.handle, lattice_, streams_.view(), completed_, phase,
                   change_.data());
    }

    Stream stream_;
    FerromagnetMemory host_;
    StreamBuffer<G> streams_;
    DeviceBuffer<std::int32_t> spins_;
    SiteBuffer sites_;
    DeviceBuffer<unsigned long long> change_;  ///< of the energy over 4 since the start
    FerromagnetView lattice_;
    std::uint64_t completed_ = 0;
    std::int64_t at_start_ = 0;
};

}  // namespace

std::unique_ptr<Ferromagnet> make_ferromagnet_cuda(const FerromagnetSetup& setup, int device) {
    std::unique_ptr<Ferromagnet> lattice;
    with_generator(setup.generator, [&](auto listed) {
        using Listed = decltype(listed);
        if (setup.dimension == 3)
            lattice = std::make_unique<FerromagnetCuda<Listed, 6>>(setup, listed, device);
        else
            lattice = std::make_unique<FerromagnetCuda<Listed, 4>>(setup, listed, device);
    });
    return lattice;
}

}  // namespace psflip
