#pragma once

#include <functional>
#include <vector>

#include "base/device_buffer.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {

/// Many steps of a lattice, with sums after each where asked for, as one launch: launches of small lattices
/// take longer than their work.
class StepsGraph {
  public:
    static constexpr int most_steps = 64;

    /// step(numbers) gives the stream the launches of a step with these numbers; sums(to) those of its sums.
    StepsGraph(cudaStream_t stream, int steps, const std::function<void(const StepNumbers*)>& step,
               const std::function<void(unsigned long long*)>& sums = {});
    ~StepsGraph();
    StepsGraph(const StepsGraph&) = delete;

    /// `steps` steps of `hits` sweeps from number `first_sweep` on. args: those of the launches, or any where
    /// these take nothing but the sweep from their numbers.
    void run(const SitesArgs& args, std::uint64_t first_sweep, int hits);
    /// Of each step of the last run: see launch_sites_sums.
    const DeviceBuffer<unsigned long long>& sums() const { return sums_; }

  private:
    cudaStream_t stream_;
    int steps_;
    DeviceBuffer<StepNumbers> numbers_;
    DeviceBuffer<unsigned long long> sums_;
    cudaGraphExec_t launches_ = nullptr;
};

}  // namespace psflip
