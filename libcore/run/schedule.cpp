#include "run/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace psflip {
namespace {

/// Returns the smallest origin + k period (k > 0) that is larger than `completed`.
std::int64_t next_multiple(std::int64_t completed, std::int64_t origin, std::int64_t period) {
    return origin + ((completed - origin) / period + 1) * period;
}

}  // namespace

bool Schedule::measurement_at(std::int64_t completed) const {
    if (!times.empty())
        return completed > start && completed <= end &&
               std::ranges::binary_search(times, completed - run_start);
    return measure_every > 0 && completed > start && completed <= end &&
           (completed - run_start) % measure_every == 0;
}

std::int64_t Schedule::measurements() const {
    if (!times.empty())
        return std::ranges::upper_bound(times, end - run_start) -
               std::ranges::upper_bound(times, start - run_start);
    if (measure_every <= 0) return 0;
    return (end - run_start) / measure_every - (start - run_start) / measure_every;
}

std::int64_t Schedule::snapshots_until(std::int64_t completed) const {
    if (snapshots <= 0 || measurements() < snapshots) return 0;
    const std::int64_t so_far = (completed - run_start) / measure_every - (start - run_start) / measure_every;
    return std::min(snapshots, so_far / (measurements() / snapshots));
}

bool Schedule::snapshot_at(std::int64_t completed) const {
    if (!times.empty())
        return measurement_at(completed) && std::ranges::binary_search(waiting, completed - run_start);
    return snapshots > 0 && measurement_at(completed) &&
           snapshots_until(completed) > snapshots_until(completed - measure_every);
}

std::int64_t Schedule::next_measurement(std::int64_t completed) const {
    if (!times.empty()) {
        const auto next = std::ranges::upper_bound(times, completed - run_start);
        return next == times.end() ? end : std::min(end, run_start + *next);
    }
    return measure_every > 0 ? std::min(end, next_multiple(completed, run_start, measure_every)) : end;
}

void Pacer::looked(std::int64_t sweeps, double seconds) {
    if (sweeps < 1) return;
    const double max = 4.0 * static_cast<double>(std::max(budget_, sweeps));
    const double fitting = seconds > 0.0 ? static_cast<double>(sweeps) * seconds_ / seconds : max;
    budget_ = std::max<std::int64_t>(1, std::llround(std::floor(std::min({fitting, max, 1e15}))));
}

}  // namespace psflip
