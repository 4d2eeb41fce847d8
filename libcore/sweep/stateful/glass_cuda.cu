#include "base/device.hpp"
#include "base/stream.cuh"
#include "sweep/stateful/glass_memory.hpp"
#include "sweep/stateful/site_buffer_cuda.cuh"
#include "sweep/stateful/stream_buffer_cuda.cuh"

namespace psflip {
namespace {

constexpr int block_threads = 256;

/// A thread for each stream of a word (blockIdx.y, in steps of gridDim.y): a phase.
template <class G>
__global__ void __launch_bounds__(block_threads)
    streams_kernel(GlassView glass, StreamsView<G> streams, std::uint64_t sweep, std::uint32_t phase) {
    const std::uint32_t stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= glass.layout.streams) return;
    for (std::uint32_t word = blockIdx.y; word < glass.words; word += gridDim.y)
        update_glass(glass, streams, word, stream, sweep, phase);
}

/// A block for each ring of a word, of as many threads as the ring is wide.
template <class G>
__global__ void rings_kernel(GlassView glass, StreamsView<G> streams, std::uint64_t sweep,
                             std::uint32_t phase) {
    const std::uint32_t sites = glass.sites.sites_of_phase(), stream = blockIdx.x;
    for (std::uint32_t word = blockIdx.y; word < glass.words; word += gridDim.y) {
        const std::size_t t = static_cast<std::size_t>(word) * glass.layout.streams + stream;
        G ring = streams.stream(t, glass.drawn(stream, sweep, phase));
        for (std::uint32_t i = glass.layout.first_site(stream); i < sites; i += glass.layout.step()) {
            const std::uint32_t mine = i + threadIdx.x;
            const GlassSite site(glass, word, phase * sites + (mine < sites ? mine : i));
            for (std::uint32_t replica = 0; replica < glass.replicas; ++replica) {
                const std::uint32_t number = draw_side_by_side(ring, static_cast<int>(glass.layout.width));
                if (mine < sites) update_glass_site(glass, site, glass.lattice(word, replica), number);
            }
        }
    }
}

template <class Listed>
class GlassCuda : public Glass {
    using G = typename Listed::G;

  public:
    GlassCuda(const GlassSetup& setup, const Listed& listed, int device)
        : Glass(setup, cuda_device_name(chosen_device(device))),
          host_(setup),
          streams_(StreamSet<G>(static_cast<std::size_t>(setup.words) * setup.layout.streams,
                                {setup.seed, listed.in_sequence}),
                   stream_.handle),
          spins_(host_.spins().size(), "spins"),
          bonds_(host_.bonds().size(), "bonds"),
          sites_(host_.table(), stream_.handle) {
        spins_.upload(host_.spins(), stream_.handle);
        bonds_.upload(host_.bonds(), stream_.handle);
        glass_ = host_.view();
        glass_.spins = spins_.data();
        glass_.bonds = bonds_.data();
        glass_.sites = sites_.view();
        glass_.thresholds = range_thresholds(G::range, setup.beta);
    }
    void sweep(int count) override {
        for (int i = 0; i < count; ++i, ++completed_)
            for (std::uint32_t phase = 0; phase < glass_.sites.phases; ++phase) update(phase);
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }
    void set_spins(const std::vector<std::uint64_t>& canonical) override {
        host_.set_spins(canonical);
        spins_.upload(host_.spins(), stream_.handle);
    }
    std::vector<std::uint64_t> spins() const override { return host_.canonical(downloaded()); }
    std::vector<std::int32_t> energies() const override { return host_.energies(downloaded()); }

  private:
    void update(std::uint32_t phase) {
        const auto words = std::min(glass_.words, 65535u);  // the largest gridDim.y
        const StreamLayout& layout = glass_.layout;
        if constexpr (Listed::ring)
            launch(rings_kernel<G>, dim3(layout.streams, words), dim3(layout.width), 0, stream_.handle,
                   glass_, streams_.view(), completed_, phase);
        else
            launch(streams_kernel<G>, dim3(blocks_for(layout.streams, block_threads), words),
                   dim3(block_threads), 0, stream_.handle, glass_, streams_.view(), completed_, phase);
    }
    std::vector<std::uint32_t> downloaded() const {
        std::vector<std::uint32_t> spins(spins_.size());
        spins_.download(spins, stream_.handle);
        return spins;
    }

    Stream stream_;
    GlassMemory host_;
    StreamBuffer<G> streams_;
    DeviceBuffer<std::uint32_t> spins_, bonds_;
    SiteBuffer sites_;
    GlassView glass_;
    std::uint64_t completed_ = 0;
};

}  // namespace

std::unique_ptr<Glass> make_glass_cuda(const GlassSetup& setup, int device) {
    std::unique_ptr<Glass> glass;
    with_generator(setup.generator, [&](auto listed) {
        glass = std::make_unique<GlassCuda<decltype(listed)>>(setup, listed, device);
    });
    return glass;
}

}  // namespace psflip
