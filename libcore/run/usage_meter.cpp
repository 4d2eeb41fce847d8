#include "run/usage_meter.hpp"

#include <cmath>
#include <optional>
#include <span>

#include "base/device.hpp"
#include "base/process.hpp"

namespace psflip {

namespace {

/// Nothing where a rank knows nothing.
std::optional<double> sum_of_ranks(Ranks& ranks, std::optional<double> joules) {
    if (ranks.alone()) return joules;
    std::int64_t millijoules_and_known[] = {std::llround(1e3 * joules.value_or(0.0)), joules ? 1 : 0};
    ranks.sum(std::span<std::int64_t>(millijoules_and_known));
    if (millijoules_and_known[1] < ranks.size()) return std::nullopt;
    return static_cast<double>(millijoules_and_known[0]) / 1e3;
}

}  // namespace

double flips_per_sweep(const Shape& shape) {
    return static_cast<double>(shape.sites()) * shape.replicas * shape.temperatures *
           static_cast<double>(shape.realizations);
}

void UsageMeter::start(const Ensemble& ensemble, int device, std::int64_t completed, const Usage& earlier) {
    if (ensemble.backend() == Backend::cuda) energy_ = std::make_unique<GpuEnergy>(cuda_pci_bus_id(device));
    flips_per_sweep_ = flips_per_sweep(ensemble.shape());
    start_ = completed;
    earlier_ = earlier;
    ranks_ = &ensemble.ranks();
}

Usage UsageMeter::at(std::int64_t completed) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    Usage here;
    here.flips = flips_per_sweep_ * static_cast<double>(completed - start_);
    here.wall_seconds = elapsed.count();
    here.calls = 1;
    if (energy_) here.gpu_energy_joules = sum_of_ranks(*ranks_, energy_->joules());
    here.slurm_jobs = environment("SLURM_JOB_ID");
    return sum(earlier_, here);
}

}  // namespace psflip
