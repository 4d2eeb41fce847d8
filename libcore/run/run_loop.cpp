#include "run/run_loop.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "slab/agreement.hpp"

namespace psflip {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point moment) {
    return std::chrono::duration<double>(Clock::now() - moment).count();
}

}  // namespace

RunLoop::RunLoop(Sampler& sampler, Measurement* measurement, const Schedule& schedule, const RunBins& bins)
    : sampler_(sampler),
      measurement_(measurement),
      schedule_(schedule),
      bins_(bins),
      completed_(schedule.start) {
    if (schedule.measure_every > 0 && !measurement)
        throw std::invalid_argument("RunLoop: a schedule with measurements needs a Measurement");
}

void RunLoop::resume(std::int64_t completed, std::vector<Snapshot> snapshots) {
    completed_ = completed;
    snapshots_ = std::move(snapshots);
    for (const Snapshot& snapshot : snapshots_)
        if (measurement_) measurement_->add_snapshot(snapshot.spins);
}

/// Measures and takes a snapshot at the present count.
void RunLoop::measure() {
    const std::int64_t sweep = completed_ - schedule_.run_start;
    measurement_->measure(bins_.bin(sweep));
    if (!schedule_.snapshot_at(completed_)) return;
    snapshots_.push_back({sweep, sampler_.ensemble().held_spins()});
    measurement_->snapshot_taken();
}

/// Sweeps to `target` without waiting for the device.
void RunLoop::advance_without_looks(std::int64_t target) {
    while (completed_ < target) {
        const std::int64_t next = std::min(target, schedule_.next_measurement(completed_));
        sampler_.advance(completed_, next);
        completed_ = next;
        if (schedule_.measurement_at(completed_)) measure();
    }
}

/// Returns the count at which the budget is used up. If the budget spans a period of exchanges, it returns
/// the next exchange instead, so that periods are not cut; a look comes at most twice as late for this. Steps
/// of several sweeps are never cut.
std::int64_t RunLoop::next_look() const {
    const std::int64_t period = schedule_.sweeps_per_swap, step = schedule_.sweeps_per_step;
    const std::int64_t look = completed_ + pacer_.budget();
    const std::int64_t unit = period <= 0 || period > pacer_.budget() ? step : period;
    return (look + unit - 1) / unit * unit;
}

const char* RunLoop::advance_to(std::int64_t target, const LoopHooks& hooks) {
    Ranks& ranks = sampler_.ensemble().ranks();
    auto saved = Clock::now();
    target = std::min(target, schedule_.end);
    while (completed_ < target) {
        const auto begin = Clock::now();
        const std::int64_t before = completed_;
        advance_without_looks(std::min(target, next_look()));
        sampler_.ensemble().synchronize();
        const double seconds = of_first(ranks, seconds_since(begin));
        pacer_.looked(completed_ - before, seconds);
        if (hooks.progress) hooks.progress(completed_);
        if (completed_ == schedule_.end) break;
        const char* reason = hooks.stop_reason ? hooks.stop_reason() : nullptr;
        const bool due = hooks.checkpoint_every_seconds >= 0.0 &&
                         of_first(ranks, seconds_since(saved)) >= hooks.checkpoint_every_seconds;
        if (!reason && !due) continue;
        if (hooks.save_checkpoint) hooks.save_checkpoint(reason != nullptr);
        if (reason) return reason;
        saved = Clock::now();
    }
    return nullptr;
}

}  // namespace psflip
