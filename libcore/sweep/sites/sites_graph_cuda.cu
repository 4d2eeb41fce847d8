#include "base/cuda_check.cuh"
#include "sweep/sites/sites_graph_cuda.cuh"

namespace psflip {
namespace {

/// A thread for each step.
__global__ void fill_numbers(const __grid_constant__ SitesArgs a, std::uint64_t first_sweep,
                             std::uint32_t hits, StepNumbers* to) {
    to[threadIdx.x] = StepNumbers::of(a, first_sweep + std::uint64_t{hits} * threadIdx.x);
}

}  // namespace

StepsGraph::StepsGraph(cudaStream_t stream, int steps, const std::function<void(const StepNumbers*)>& step,
                       const std::function<void(unsigned long long*)>& sums)
    : stream_(stream),
      steps_(steps),
      numbers_(static_cast<std::size_t>(steps), "numbers of steps"),
      sums_(2 * static_cast<std::size_t>(steps), "sums") {
    cudaGraph_t graph = nullptr;
    PSFLIP_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    if (sums) sums_.zero(stream);
    for (int i = 0; i < steps; ++i) {
        step(numbers_.data() + i);
        if (sums) sums(sums_.data() + 2 * i);
    }
    PSFLIP_CUDA(cudaStreamEndCapture(stream, &graph));
    const cudaError_t made = cudaGraphInstantiate(&launches_, graph, 0);
    cudaGraphDestroy(graph);
    PSFLIP_CUDA(made);
}

StepsGraph::~StepsGraph() {
    cudaStreamSynchronize(stream_);
    cudaGraphExecDestroy(launches_);
}

void StepsGraph::run(const SitesArgs& args, std::uint64_t first_sweep, int hits) {
    launch(fill_numbers, dim3(1), dim3(static_cast<unsigned>(steps_)), 0, stream_, args, first_sweep,
           static_cast<std::uint32_t>(hits), numbers_.data());
    PSFLIP_CUDA(cudaGraphLaunch(launches_, stream_));
}

}  // namespace psflip
