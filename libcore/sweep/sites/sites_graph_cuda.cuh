#pragma once

#include <functional>
#include <vector>

#include "base/device_buffer.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {

/// Does several steps of a lattice or a batch by one launch of a CUDA graph, if wanted with sums after each
/// step. For small lattices, separate launches take longer than their work.
class StepsGraph {
  public:
    static constexpr int max_steps = 64;

    /// step(numbers) launches a step on the stream, whose kernels read `numbers` in device memory. sums(to)
    /// launches the sums after a step.
    StepsGraph(cudaStream_t stream, int steps, const std::function<void(const StepNumbers*)>& step,
               const std::function<void(unsigned long long*)>& sums = {});
    ~StepsGraph();
    StepsGraph(const StepsGraph&) = delete;

    /// Does the `steps` steps of the graph, from sweep `first_sweep` on, with `hits` sweeps in each step.
    /// args: the lattice of the launches. If the launches use only StepNumbers::sweep, any args will do.
    void run(const SitesArgs& args, std::uint64_t first_sweep, int hits);
    /// Returns the sums after each step of the last run, (step, 2 sums of launch_sites_sums).
    const DeviceBuffer<unsigned long long>& sums() const { return sums_; }

  private:
    cudaStream_t stream_;
    int steps_;
    DeviceBuffer<StepNumbers> numbers_;
    DeviceBuffer<unsigned long long> sums_;
    cudaGraphExec_t launches_ = nullptr;
};

}  // namespace psflip
