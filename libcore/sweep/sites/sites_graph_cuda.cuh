#pragma once

#include <functional>
#include <vector>

#include "base/device_buffer.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {

/// Does many steps of a lattice as one launch, on request with sums after each step. Launches of small
/// lattices take longer than their work.
class StepsGraph {
  public:
    static constexpr int max_steps = 64;

    /// step(numbers) launches a step with these numbers on the stream; sums(to) launches its sums.
    StepsGraph(cudaStream_t stream, int steps, const std::function<void(const StepNumbers*)>& step,
               const std::function<void(unsigned long long*)>& sums = {});
    ~StepsGraph();
    StepsGraph(const StepsGraph&) = delete;

    /// Does `steps` steps of `hits` sweeps from number `first_sweep` on. args: as in the launches, or any if
    /// the launches use only the sweep of their numbers.
    void run(const SitesArgs& args, std::uint64_t first_sweep, int hits);
    /// Returns the sums of each step of the last run: see launch_sites_sums.
    const DeviceBuffer<unsigned long long>& sums() const { return sums_; }

  private:
    cudaStream_t stream_;
    int steps_;
    DeviceBuffer<StepNumbers> numbers_;
    DeviceBuffer<unsigned long long> sums_;
    cudaGraphExec_t launches_ = nullptr;
};

}  // namespace psflip
