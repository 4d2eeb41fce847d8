#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/gpu_energy.hpp"
#include "io/usage.hpp"
#include "run/schedule.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Proposed spin flips of one sweep of a batch.
double flips_per_sweep(const Shape& shape);

/// Counts what a call uses, from the moment it is made. Time is that of a clock which is never set.
class UsageMeter {
  public:
    /// The batch, the device it runs on and, where a checkpoint is resumed, at which sweep and what the calls
    /// before used.
    void start(const Ensemble& ensemble, int device, std::int64_t completed, const Usage& earlier);

    /// Of all calls, when `completed` sweeps are done. The energy is that of the GPUs of all ranks, each its
    /// own; collective.
    Usage at(std::int64_t completed) const;

  private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::unique_ptr<GpuEnergy> energy_;
    double flips_per_sweep_ = 0.0;
    std::int64_t start_ = 0;
    Usage earlier_;
    Ranks* ranks_ = &single_rank();
};

}  // namespace psflip
