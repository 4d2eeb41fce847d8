// Plain checkerboard sweeps of a lattice whose subdomains are lanes, from device memory: one launch per
// colour.
//
//   device memory --spins of the other colour in rows y - 1, y, y + 1--> registers, which move along y
//   two digits of every number --undecided words--> queue of the warp in shared memory --flips--> device
//   memory
//
// A thread takes the words of a column of rows: all four of a local index, or one where the lattice is small.
// Per 32 spins and two digits: 33 wide multiplications, 36 logic operations, 24 to compare, 9 (2D) for the
// bonds and the flip; a ninth of the words draws a third digit. Bytes per 128 spins: 16 read and 16 written
// of the colour, 16 of the other (its rows are read three times, from the cache); with couplings 16 more for
// each bond.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/sites/site_sweep_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = sweep_threads;

/// Holds the parameters of a launch. The `rows` of a thread divide ny.
struct ColourLaunch {
    std::uint32_t colour, rows;
    StepNumbers numbers;
    const StepNumbers* of_graph;  ///< read instead if the kernel is one of a graph
};

template <int Degree, bool Glass, int Words, bool InGraph>
__global__ void __launch_bounds__(threads, Words == 4 ? 2 : 4)
    sites_streaming(const __grid_constant__ SitesArgs a, const __grid_constant__ ColourLaunch launch) {
    extern __shared__ uint4 queue[];
    sweep_rows<Degree, Glass, Words>(a, InGraph ? *launch.of_graph : launch.numbers, launch.colour,
                                     launch.rows, PlaneRange{0, a.nz}, queue);
}

template <int Degree, bool Glass, int Words>
__global__ void __launch_bounds__(threads, Words == 4 ? 2 : 4)
    sites_streaming_batch(const __grid_constant__ BatchArgs batch, std::uint32_t colour, std::uint32_t rows,
                          const __grid_constant__ BatchStep step) {
    extern __shared__ uint4 queue[];
    __shared__ StepNumbers numbers;
    const BatchLattice a(batch);
    set_numbers(a, step.of_graph->sweep, numbers);
    __syncthreads();
    sweep_rows<Degree, Glass, Words>(a, numbers, colour, rows, PlaneRange{0, a.nz}, queue);
}

template <int Degree, bool Glass, int Words>
void launch_colour(const SitesArgs& args, const ColourLaunch& colour, cudaStream_t stream) {
    const long long work =
        static_cast<long long>(args.row_words) * (lane_words / Words) * (args.ny / colour.rows) * args.nz;
    launch(colour.of_graph != nullptr ? sites_streaming<Degree, Glass, Words, true>
                                      : sites_streaming<Degree, Glass, Words, false>,
           dim3(blocks_for(work, threads)), dim3(threads),
           threads * WarpLeftovers<Degree, Words>::bytes_per_thread, stream, args, colour);
}

template <int Degree, bool Glass, int Words>
void launch_batch_with(const BatchArgs& batch, const ThreadPlan& plan, const BatchStep& step,
                       cudaStream_t stream) {
    const std::uint32_t work = batch.colour_words * (lane_words / Words) / plan.rows,
                        block = std::min<std::uint32_t>(threads, (work + 31) / 32 * 32);
    for (std::uint32_t colour = 0; colour < 2; ++colour)
        launch(sites_streaming_batch<Degree, Glass, Words>, dim3(blocks_for(work, threads), step.lattices),
               dim3(block), block * WarpLeftovers<Degree, Words>::bytes_per_thread, stream, batch, colour,
               plan.rows, step);
}

}  // namespace

ThreadPlan plan_sites_streaming(const SitesShape& args, int multiprocessors, std::uint32_t lattices) {
    const std::uint64_t enough = std::uint64_t{480} * static_cast<std::uint64_t>(multiprocessors),
                        all = std::uint64_t{args.colour_words} * lattices;
    ThreadPlan plan{2 * all >= enough && args.colour_words >= 32 ? 4 : 1, 1};
    const std::uint64_t work = all * (lane_words / plan.words);
    while (plan.rows < 16 && args.ny % (2 * plan.rows) == 0 && work / (2 * plan.rows) >= enough)
        plan.rows *= 2;
    return plan;
}

ThreadPlan plan_sites_tiled(const SitesShape& args, int dimension, int tile, int multiprocessors,
                            std::uint32_t lattices) {
    const std::uint64_t indices =
        std::uint64_t{args.colour_words} * lattices / 2 / static_cast<std::uint64_t>(multiprocessors);
    // 32-lane words of a colour of a tile
    const std::uint64_t words = std::uint64_t{lane_words / 2} * tile * tile * (dimension == 3 ? tile : 1);
    return {indices >= (words > 512 ? 480u : 200u) ? 4 : indices >= 50 || words >= 512 ? 2 : 1, 1};
}

void launch_sites_streaming(const SitesArgs& args, int degree, const ThreadPlan& plan, const SitesPart* part,
                            std::uint32_t colour, std::uint64_t sweep, cudaStream_t stream,
                            const StepNumbers* of_graph) {
    const StepNumbers numbers = StepNumbers::of(args, sweep);
    if (part) return launch_streaming_part(args, degree, plan, *part, colour, numbers, stream);
    const auto go = with_degree(degree, args.couplings != nullptr, [&]<int Degree, bool Glass>() {
        return plan.words == 4 ? launch_colour<Degree, Glass, 4> : launch_colour<Degree, Glass, 1>;
    });
    go(args, {colour, plan.rows, numbers, of_graph}, stream);
}

void launch_batch_streaming(const BatchArgs& batch, int degree, const ThreadPlan& plan, const BatchStep& step,
                            cudaStream_t stream) {
    const auto go = with_degree(degree, batch.couplings != nullptr, [&]<int Degree, bool Glass>() {
        return plan.words == 4 ? launch_batch_with<Degree, Glass, 4> : launch_batch_with<Degree, Glass, 1>;
    });
    go(batch, plan, step, stream);
}

}  // namespace psflip
