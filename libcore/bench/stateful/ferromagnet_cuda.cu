// Sweeps the ferromagnet with the literature's generators on a GPU.
#include <numeric>
#include <optional>

#include "base/device.hpp"
#include "base/stream.cuh"
#include "bench/stateful/packed_memory.hpp"
#include "bench/stateful/site_buffer_cuda.cuh"
#include "bench/stateful/stream_buffer_cuda.cuh"

namespace psflip {
namespace {

constexpr int block_threads = 256;
constexpr int ring_threads = 864;  // the widest ring, in whole warps

/// Adds the changes of all threads of a block to a sum, in two's complement. One atomic operation per block
/// suffices. One per warp would take longer than the sweep.
__device__ __forceinline__ void add_change(unsigned long long* energy, std::int64_t change) {
    __shared__ unsigned long long of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    for (int lanes = 16; lanes > 0; lanes /= 2) change += __shfl_down_sync(~0u, change, lanes);
    if (threadIdx.x % 32 == 0) atomicAdd(&of_block, static_cast<unsigned long long>(change));
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(energy, of_block);
}

/// Updates a phase with a thread per stream.
template <class Spins, class G>
__global__ void __launch_bounds__(block_threads)
    streams_kernel(const __grid_constant__ Spins spins, const __grid_constant__ StreamsView<G> streams,
                   const __grid_constant__ SweepPhase phase, unsigned long long* energy) {
    const std::uint32_t stream = blockIdx.x * blockDim.x + threadIdx.x;
    const bool works = stream < spins.layout.streams;
    add_change(energy, works ? update_ferromagnet(spins, streams, stream, phase) : 0);
}

/// Updates a phase with a block per ring. A block has as many threads as the ring is wide, rounded up to
/// whole warps. All threads draw, even threads without a unit.
template <class Spins, class G>
__global__ void __launch_bounds__(ring_threads)
    rings_kernel(const __grid_constant__ Spins spins, const __grid_constant__ StreamsView<G> streams,
                 const __grid_constant__ SweepPhase phase, unsigned long long* energy) {
    const std::uint32_t units = spins.units_of_phase(), stream = blockIdx.x;
    const auto width = static_cast<int>(spins.layout.width);
    G ring = streams.stream(stream, phase.drawn.of(stream));
    std::int64_t change = 0;
    for (std::uint32_t i = spins.layout.first_site(stream); i < units; i += spins.layout.step()) {
        const std::uint32_t mine = i + threadIdx.x;
        const bool works = static_cast<int>(threadIdx.x) < width && mine < units;
        const auto draws = spins.draw(phase, works ? mine : i, [&](const NumberPlace&, auto& array) {
            draw_side_by_side(ring, width, array);
        });
        if (works) change += spins.update(phase, mine, draws);
    }
    add_change(energy, change);
}

/// Sweeps a ferromagnet on a GPU. Memory is FerromagnetMemory or PackedMemory.
template <class Listed, class Memory>
class FerromagnetCuda : public Ferromagnet {
    using G = typename Listed::G;
    using Spins = decltype(std::declval<Memory>().view());

  public:
    FerromagnetCuda(const FerromagnetSetup& setup, const Listed& listed, int device)
        : Ferromagnet(setup, cuda_device_name(chosen_device(device))),
          host_(setup),
          streams_(StreamSet<G>(setup.layout.streams, {setup.seed, listed.in_sequence}), stream_.handle),
          memory_(host_.spins().size(), "spins"),
          spins_(host_.view()) {
        if constexpr (requires { spins_.sites; }) {
            sites_.emplace(host_.table(), stream_.handle);
            spins_.sites = sites_->view();
            spins_.spins = memory_.data();
        } else {
            spins_.words = memory_.data();
        }
        spins_.thresholds = range_thresholds(G::range, setup.beta);
        start();
    }
    void sweep(int count) override {
        for (int i = 0; i < count; ++i) sweep_once(change_.data());
    }
    std::vector<std::int64_t> sweep_with_energies(int count) override {
        DeviceBuffer<unsigned long long> changes(static_cast<std::size_t>(count), "energies");
        changes.zero(stream_.handle);
        std::int64_t now = energy();
        for (int i = 0; i < count; ++i) sweep_once(changes.data() + i);
        std::vector<std::int64_t> energies(static_cast<std::size_t>(count));
        changes.download(energies, stream_.handle);
        for (std::int64_t& energy : energies) energy = now += 4 * energy;
        at_start_ += now - energy();
        return energies;
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }
    void set_spins(const std::vector<std::int8_t>& spins) override {
        host_.set_spins(spins);
        start();
    }
    std::vector<std::int8_t> spins() const override {
        std::vector<typename Spins::Word> found(memory_.size());
        memory_.download(found, stream_.handle);
        return host_.in_rows(found);
    }
    std::int64_t energy() const override {
        std::vector<std::int64_t> change(1);
        change_.download(change, stream_.handle);
        return at_start_ + 4 * change[0];
    }

  private:
    void start() {
        memory_.upload(host_.spins(), stream_.handle);
        at_start_ = host_.energy(host_.spins());
        change_.zero(stream_.handle);
    }
    /// Sweeps once and adds the change of the energy, divided by 4, to *change.
    void sweep_once(unsigned long long* change) {
        for (std::uint32_t phase = 0; phase < host_.phases(); ++phase)
            update(spins_.phase(completed_, phase), change);
        ++completed_;
    }
    void update(const SweepPhase& phase, unsigned long long* change) {
        const StreamLayout& layout = spins_.layout;
        if constexpr (Listed::ring)
            launch(rings_kernel<Spins, G>, dim3(layout.streams), dim3((layout.width + 31) / 32 * 32), 0,
                   stream_.handle, spins_, streams_.view(), phase, change);
        else
            launch(streams_kernel<Spins, G>, dim3(blocks_for(layout.streams, block_threads)),
                   dim3(block_threads), 0, stream_.handle, spins_, streams_.view(), phase, change);
    }

    Stream stream_;
    Memory host_;
    StreamBuffer<G> streams_;
    DeviceBuffer<typename Spins::Word> memory_;
    std::optional<SiteBuffer> sites_;
    DeviceBuffer<unsigned long long> change_{1, "energy"};  ///< of the energy over 4 since at_start_
    Spins spins_;
    std::uint64_t completed_ = 0;
    std::int64_t at_start_ = 0;
};

}  // namespace

std::unique_ptr<Ferromagnet> make_ferromagnet_cuda(const FerromagnetSetup& setup, int device) {
    std::unique_ptr<Ferromagnet> lattice;
    with_generator(setup.generator, [&](auto listed) {
        with_memory(setup, [&](auto memory) {
            using Memory = typename decltype(memory)::type;
            lattice = std::make_unique<FerromagnetCuda<decltype(listed), Memory>>(setup, listed, device);
        });
    });
    return lattice;
}

}  // namespace psflip
