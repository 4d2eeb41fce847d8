// Loops over the sweeps of one call: asks the sampler for sweeps, measures, takes snapshots, saves
// checkpoints, and obeys stop requests. Schedule (run/schedule.hpp) says what happens at which sweep. A look
// is a moment at which the loop waits for the device and looks at the clock and at stop requests (Pacer).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "evolution/sampler.hpp"
#include "measure/measurement.hpp"
#include "measure/run_grid.hpp"
#include "run/schedule.hpp"

namespace psflip {

/// Holds the spins at one moment of a run.
struct Snapshot {
    std::int64_t sweep = 0;  ///< sweeps since run_start
    Spins spins;             ///< in the form of Ensemble::held_spins
    bool operator==(const Snapshot&) const = default;
};

/// Holds the functions that the caller gives to the loop. Each function may be empty. All ranks call them
/// together, and stop_reason must return the same reason on all ranks.
struct LoopHooks {
    std::function<const char*()> stop_reason;              ///< returns nullptr to continue; see base/stop.hpp
    std::function<void(std::int64_t completed)> progress;  ///< called at every look
    std::function<void(bool stopping)>
        save_checkpoint;  ///< called on a stop request, and when checkpoint_every_seconds have passed
    double checkpoint_every_seconds = -1.0;  ///< 0: at every look; negative: only on a stop request
};

/// Runs sampler, measurements and snapshots over one batch.
///
/// A resumed run equals an uninterrupted run, bit for bit. Random numbers depend on the number of completed
/// sweeps, so a burst of sweeps may be cut anywhere. Exchanges fall on multiples of sweeps_per_swap since the
/// random start. Measurements fall on multiples of measure_every since the end of thermalization. At one
/// sweep the order is exchange, measurement, snapshot. A checkpoint holds all state at one completed sweep,
/// after its events. Doubles are added in the order of measurement on every backend.
///
/// The caller owns sampler and measurement. Both must outlive the loop and belong to one backend. They hold
/// the spins, the sampler state and the accumulators after `completed` sweeps. The clock of rank 0 decides
/// when all ranks look. advance and advance_to are collective.
class RunLoop {
  public:
    /// measurement: nullptr if the schedule has no measurements. Errors: std::invalid_argument if it is
    /// nullptr and schedule.measure_every is positive.
    RunLoop(Sampler& sampler, Measurement* measurement, const Schedule& schedule, const RunBins& bins);

    /// Continues from `completed` sweeps. All events up to this count, and at this count, have happened. Call
    /// it before advance. The ensemble must already hold its spins. snapshots: all earlier snapshots of the
    /// run.
    void resume(std::int64_t completed, std::vector<Snapshot> snapshots);

    /// Sweeps to the end of the schedule and returns nullptr. On a stop request, saves a checkpoint and
    /// returns the reason. Every call does at least one sweep, so calls with a short time limit also reach
    /// the end. A stop request that comes with the last sweep is ignored, because the work is done.
    const char* advance(const LoopHooks& hooks) { return advance_to(schedule_.end, hooks); }
    /// Sweeps as advance does, but only up to `target` completed sweeps. A stop request at `target` is
    /// ignored only if `target` is the end of the schedule.
    const char* advance_to(std::int64_t target, const LoopHooks& hooks);

    std::int64_t completed() const { return completed_; }
    const std::vector<Snapshot>& snapshots() const { return snapshots_; }
    /// Moves the snapshots out of the loop.
    std::vector<Snapshot> take_snapshots() { return std::exchange(snapshots_, {}); }

  private:
    std::int64_t next_look() const;
    void advance_without_looks(std::int64_t target);
    void measure();

    Sampler& sampler_;
    Measurement* measurement_;
    Schedule schedule_;
    RunBins bins_;
    std::int64_t completed_;
    std::vector<Snapshot> snapshots_;
    Pacer pacer_;
};

}  // namespace psflip
