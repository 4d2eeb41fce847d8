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

/// The spins at one moment of a run.
struct Snapshot {
    std::int64_t sweep = 0;  ///< sweeps since run_start
    Spins spins;             ///< as Ensemble::held_spins
    bool operator==(const Snapshot&) const = default;
};

/// What the caller gives the loop; every function may be empty. Ranks call the functions together, and all
/// ranks must get the same reason to stop.
struct LoopHooks {
    std::function<const char*()> stop_reason;              ///< nullptr: continue; see base/stop.hpp
    std::function<void(std::int64_t completed)> progress;  ///< called at every look
    std::function<void(bool stopping)>
        save_checkpoint;                     ///< called on stop and every checkpoint_every_seconds
    double checkpoint_every_seconds = -1.0;  ///< 0: at every look; negative: on stop only
};

/// The loop of sampler, measurements and snapshots over one batch.
///
/// A resumed run equals an uninterrupted one. Random numbers depend on the number of completed sweeps, so
/// that bursts may be cut anywhere. Exchanges fall on multiples of sweeps_per_swap since the random start,
/// measurements on multiples of measure_every since the end of thermalization. At one sweep the order is
/// exchange, measurement, snapshot. A checkpoint holds all state at one completed sweep, after its events.
/// Doubles are added in the order of measurement on every backend.
///
/// Sampler and measurement belong to the caller and to one backend. They hold the spins, the sampler state
/// and the accumulators of `completed` sweeps. The clock of rank 0 decides when to look. advance and
/// advance_to are collective.
class RunLoop {
  public:
    /// measurement may be nullptr if the schedule has no measurements.
    RunLoop(Sampler& sampler, Measurement* measurement, const Schedule& schedule, const RunBins& bins);

    /// Continues from `completed` sweeps, after all events up to and at that count. The ensemble must already
    /// hold its spins.
    void resume(std::int64_t completed, std::vector<Snapshot> snapshots);

    /// Sweeps to the end of the schedule and returns nullptr. On a stop request it saves a checkpoint and
    /// returns the reason. Every call does at least one sweep, so that calls with a short time limit get to
    /// the end, too. A request that comes with the last sweep is ignored, because the work is done.
    const char* advance(const LoopHooks& hooks) { return advance_to(schedule_.end, hooks); }
    /// As advance, but only up to `target` completed sweeps, for work in pieces. A request that comes with
    /// the last sweep of a piece is ignored only at the end of the schedule.
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
