// Plain checkerboard sweeps of a part of a lattice whose subdomains are lanes (sites_streaming_cuda.cu). With
// peers, the same launch writes halos into the memory of the neighbours:
//
//   blocks at the ends: wait for the neighbour's last launch, update, store words there, publish
//   all other blocks:   update
//
// Blocks at the ends have the lowest numbers. In two dimensions their threads update one row, others several,
// so what they wait for hides behind the other blocks. Per launch, a rank sends a plane of a colour to each
// neighbour.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/sites/site_sweep_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = sweep_threads;

template <int Degree, bool Glass>
__global__ void __launch_bounds__(threads, 2)
    sites_streaming_part(const __grid_constant__ PartArgs a, const __grid_constant__ StepNumbers numbers,
                         std::uint32_t colour, std::uint32_t rows, const __grid_constant__ SitesPart part,
                         const __grid_constant__ EndsFirst order) {
    extern __shared__ uint4 queue[];
    sweep_part<Degree, Glass>(a, numbers, colour, rows, part, order, queue);
}

template <int Degree, bool Glass>
void launch_with(const SitesArgs& args, std::uint32_t rows, const SitesPart& part, std::uint32_t colour,
                 const StepNumbers& numbers, cudaStream_t stream) {
    if (Degree == 4) rows = std::min(rows, part.planes);
    const std::uint32_t row_layers = part.planes < 3 ? part.planes : 2 + (part.planes - 2 + rows - 1) / rows;
    const EndsFirst order = Degree == 6 ? EndsFirst{part.planes, args.row_words * (args.ny / rows)}
                                        : EndsFirst{row_layers, args.row_words};
    const auto go = [&](auto launch_kernel) {
        launch_kernel(sites_streaming_part<Degree, Glass>, dim3(blocks_for(order.all(), threads)),
                      dim3(threads), threads * WarpLeftovers<Degree, lane_words>::bytes_per_thread, stream,
                      PartArgs{args}, numbers, colour, rows, part, order);
    };
    if (part.early)
        go([](auto... arguments) { launch_early(arguments...); });
    else
        go([](auto... arguments) { launch(arguments...); });
}

}  // namespace

ThreadPlan plan_sites_part(const SitesShape& args, int dimension, std::uint32_t planes, int multiprocessors) {
    SitesShape part = args;
    part.colour_words = plane_words(args, dimension) * planes;
    if (dimension == 2) part.ny = 16;  // any number of rows will do, also if it does not divide the planes
    return {lane_words, plan_sites_streaming(part, multiprocessors).rows};
}

void launch_streaming_part(const SitesArgs& args, int degree, const ThreadPlan& plan, const SitesPart& part,
                           std::uint32_t colour, const StepNumbers& numbers, cudaStream_t stream) {
    const auto go = with_degree(degree, args.couplings != nullptr,
                                [&]<int Degree, bool Glass>() { return launch_with<Degree, Glass>; });
    go(args, plan.rows, part, colour, numbers, stream);
}

}  // namespace psflip
