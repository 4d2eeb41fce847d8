#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// Says which events fall on which sweep of one simulation. All times are completed sweeps since the random
/// start. So exchanges and measurements do not depend on where a run was interrupted or cut into chunks. An
/// event at s happens when s sweeps are complete. The order at one s is exchange, measurement, snapshot.
struct Schedule {
    std::int64_t start = 0;            ///< completed sweeps at the beginning; `start` itself has no events
    std::int64_t end = 0;              ///< completed sweeps at the end; `end` itself has its events
    std::int64_t sweeps_per_swap = 0;  ///< exchanges are at multiples of this count; 0: no exchange
    std::int64_t run_start = 0;        ///< measurements count from this sweep
    std::int64_t measure_every = 0;    ///< sweeps between two measurements, from run_start on; 0: none
    std::int64_t snapshots = 0;  ///< number of snapshots, at equally spaced measurements of (start, end]; at
                                 ///< most the number of measurements
    /// If `times` is not empty, measurements are at run_start + times (ascending, up to the end). Snapshots
    /// are then at the measurements whose time is also in `waiting`, and measure_every and snapshots have no
    /// meaning.
    std::vector<std::int64_t> times{}, waiting{};
    std::int64_t sweeps_per_step = 1;  ///< all counts of sweeps are multiples of this; see Shape::hits

    bool measurement_at(std::int64_t completed) const;
    bool snapshot_at(std::int64_t completed) const;
    /// Returns the first count after `completed` with a measurement, or `end`.
    std::int64_t next_measurement(std::int64_t completed) const;
    /// Returns the number of measurements in (start, end].
    std::int64_t measurements() const;
    /// Returns the number of snapshots in (start, completed].
    std::int64_t snapshots_until(std::int64_t completed) const;
};

/// Decides how many sweeps the backend gets between two looks of RunLoop. A look waits for the device, so
/// looks must be rare. But a stop request must be seen soon. The pacer measures the rate of sweeps, so that a
/// look comes about every `seconds`.
class Pacer {
  public:
    explicit Pacer(double seconds = 0.25) : seconds_(seconds) {}

    /// Returns the number of sweeps until the next look, at least 1.
    std::int64_t budget() const { return budget_; }

    /// Records that the last `sweeps` sweeps took `seconds` of wall time. The budget grows at most fourfold
    /// per look.
    void looked(std::int64_t sweeps, double seconds);

  private:
    double seconds_;
    std::int64_t budget_ = 1;
};

}  // namespace psflip
