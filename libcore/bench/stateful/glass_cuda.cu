// Sweeps the glass on a GPU with one launch per colour and a thread per stream of a word.
//
// Bytes per site of a word and four replicas (128 flips):
// - bonds: 24
// - spins: 16 read and 16 written
// - neighbours: 16 from device memory; other reads of neighbours hit L2
// - state of a generator: 4 to 8 read and written if registers hold it, otherwise all its accesses for each
//   of four numbers
// In total at least 80 B from device memory, which is 0.63 B per flip.
//
// Operations per number: 15 for the site rule, 8 for the acceptance, the generator, and a quarter of about 40
// for indices, neighbours and addresses.

#include <algorithm>
#include <string>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/stream.cuh"

#include "bench/stateful/glass_memory.hpp"
#include "bench/stateful/site_buffer_cuda.cuh"
#include "bench/stateful/stream_buffer_cuda.cuh"

namespace psflip {
namespace {

constexpr int block_threads = 256;
constexpr int ring_threads = 864;  // the widest ring, in whole warps

/// Returns the first word of this thread; the next words follow in steps of words_at_once(). A block has a
/// row of threads (x) for each of several words (y).
__device__ __forceinline__ std::uint32_t first_word() {
    return blockIdx.y * blockDim.y + threadIdx.y;
}
__device__ __forceinline__ std::uint32_t words_at_once() {
    return gridDim.y * blockDim.y;
}

/// Limits registers by the minimum number of blocks of a multiprocessor. Six words of state need more.
template <class G>
constexpr int min_blocks = G::accesses == 0 && G::words > 4 ? 3 : 4;

/// Updates a phase with a thread per stream of a word.
template <int N, class Order, class G>
__global__ void __launch_bounds__(block_threads, min_blocks<G>)
    streams_kernel(const __grid_constant__ GlassView glass, const __grid_constant__ StreamsView<G> streams,
                   const __grid_constant__ SweepPhase phase) {
    const std::uint32_t stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= glass.layout.streams) return;
    for (std::uint32_t word = first_word(); word < glass.words; word += words_at_once())
        update_glass<N, Order>(glass, streams, word, stream, phase);
}

/// Updates a phase with a block per ring of a word. A block has as many threads as the ring is wide.
template <int N, class Order, class G>
__global__ void __launch_bounds__(ring_threads)
    rings_kernel(const __grid_constant__ GlassView glass, const __grid_constant__ StreamsView<G> streams,
                 const __grid_constant__ SweepPhase phase) {
    const std::uint32_t sites = glass.geometry.colour_sites, stream = blockIdx.x;
    const auto width = static_cast<int>(glass.layout.width);
    for (std::uint32_t word = first_word(); word < glass.words; word += words_at_once()) {
        const std::size_t t = static_cast<std::size_t>(word) * glass.layout.streams + stream;
        G ring = streams.stream(t, phase.drawn.of(stream));
        for (std::uint32_t i = glass.layout.first_site(stream); i < sites; i += glass.layout.step()) {
            const std::uint32_t mine = i + threadIdx.x;
            const GlassSite site = glass_site<Order>(glass, word, phase.index, mine < sites ? mine : i);
            for (std::uint32_t first = 0; first < glass.replicas; first += N) {
                std::uint32_t number[N];
                draw_side_by_side(ring, width, number);
                if (mine < sites)
                    update_glass_site<N>(glass, site, word, first,
                                         [&](std::uint32_t replica) { return number[replica - first]; });
            }
        }
    }
}

/// Replaces the spins of a colour by the exclusive or of their neighbours and bonds, with a thread per site.
template <int N, class Order>
__global__ void __launch_bounds__(block_threads)
    loads_kernel(const __grid_constant__ GlassView glass, std::uint32_t colour) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= glass.geometry.colour_sites) return;
    for (std::uint32_t word = blockIdx.y; word < glass.words; word += gridDim.y)
        load_glass_site<N, Order>(glass, word, colour, i);
}

/// Does so with blocks of whole rows of the lattice. A plane has `rows` rows, and blockIdx.y is the plane.
template <int N, class Order>
__global__ void __launch_bounds__(block_threads)
    grid_loads_kernel(const __grid_constant__ GlassView glass, std::uint32_t colour, std::uint32_t rows) {
    const std::uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const std::uint32_t i = threadIdx.x + blockDim.x * (row + rows * blockIdx.y);
    for (std::uint32_t word = blockIdx.z; word < glass.words; word += gridDim.z)
        load_glass_site<N, Order>(glass, word, colour, i);
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
          glass_(host_.view()) {
        spins_.upload(host_.spins(), stream_.handle);
        bonds_.upload(host_.bonds(), stream_.handle);
        glass_.spins = spins_.data();
        glass_.bonds = bonds_.data();
        glass_.thresholds = range_thresholds(G::range, setup.beta);
    }
    void sweep(int count) override {
        for (int i = 0; i < count; ++i, ++completed_)
            for (std::uint32_t colour = 0; colour < 2; ++colour) update(glass_.phase(completed_, colour));
    }
    void load_neighbours(int count, bool threads_in_grid) override {
        if (threads_in_grid && row_sites() > block_threads)
            throw InputError("rows of L = " + std::to_string(setup().L) +
                             " are too long for threads in a grid; use a smaller L");
        for (int i = 0; i < 2 * count; ++i) {
            if (setup().site_order == SiteOrder::bitwise)
                load_in<BitwiseOrder>(i % 2u, threads_in_grid);
            else if (setup().site_order == SiteOrder::sliced)
                load_in<SlicedOrder>(i % 2u, threads_in_grid);
            else
                load_in<ExactOrder>(i % 2u, threads_in_grid);
        }
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }
    void set_spins(const std::vector<std::uint64_t>& canonical) override {
        host_.set_spins(canonical);
        spins_.upload(host_.spins(), stream_.handle);
    }
    std::vector<std::uint64_t> spins() const override { return host_.canonical(downloaded()); }
    std::vector<std::int32_t> energies() const override { return host_.energies(downloaded()); }
    std::vector<std::int32_t> overlaps() const override { return host_.overlaps(downloaded()); }

  private:
    void update(const SweepPhase& phase) {
        if (setup().site_order == SiteOrder::bitwise) return update_in<BitwiseOrder>(phase);
        if (setup().site_order == SiteOrder::sliced) return update_in<SlicedOrder>(phase);
        update_in<ExactOrder>(phase);
    }
    template <class Order>
    void update_in(const SweepPhase& phase) {
        if (glass_.replicas % 4 == 0)
            update_replicas<4, Order>(phase);
        else
            update_replicas<1, Order>(phase);
    }
    /// Returns the number of sites of a colour in a row of the site order.
    unsigned row_sites() const {
        const auto L = static_cast<unsigned>(setup().L);
        return setup().site_order == SiteOrder::sliced ? L : L / 2;
    }
    template <class Order>
    void load_in(std::uint32_t colour, bool threads_in_grid) {
        if (threads_in_grid) return load_in_grid<Order>(colour);
        const dim3 grid(blocks_for(glass_.sites_of_phase(), block_threads), std::min(glass_.words, 65535u));
        if (glass_.replicas % 4 == 0)
            launch(loads_kernel<4, Order>, grid, dim3(block_threads), 0, stream_.handle, glass_, colour);
        else
            launch(loads_kernel<1, Order>, grid, dim3(block_threads), 0, stream_.handle, glass_, colour);
    }
    template <class Order>
    void load_in_grid(std::uint32_t colour) {
        const unsigned rows = static_cast<unsigned>(setup().L),
                       planes = glass_.sites_of_phase() / rows / row_sites();
        const dim3 block(row_sites(), std::min(rows, block_threads / row_sites()));
        const dim3 grid(blocks_for(rows, block.y), planes, std::min(glass_.words, 65535u));
        if (glass_.replicas % 4 == 0)
            launch(grid_loads_kernel<4, Order>, grid, block, 0, stream_.handle, glass_, colour, rows);
        else
            launch(grid_loads_kernel<1, Order>, grid, block, 0, stream_.handle, glass_, colour, rows);
    }
    /// Launches the kernel. On small lattices, a block works on several words.
    template <int N, class Order>
    void update_replicas(const SweepPhase& phase) {
        constexpr unsigned max_grid = 65535;  // gridDim.y
        const StreamLayout& layout = glass_.layout;
        if constexpr (Listed::ring) {
            launch(rings_kernel<N, Order, G>, dim3(layout.streams, std::min(glass_.words, max_grid)),
                   dim3(layout.width), 0, stream_.handle, glass_, streams_.view(), phase);
        } else {
            const unsigned x = std::min((layout.streams + 31) / 32 * 32, unsigned{block_threads}),
                           y = std::min(block_threads / x, glass_.words);
            launch(streams_kernel<N, Order, G>,
                   dim3(blocks_for(layout.streams, x), std::min(blocks_for(glass_.words, y), max_grid)),
                   dim3(x, y), 0, stream_.handle, glass_, streams_.view(), phase);
        }
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
