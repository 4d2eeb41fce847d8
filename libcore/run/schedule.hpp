#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// Which events fall on which sweep of one simulation. All times are completed sweeps counted from the random
/// start, so an event never depends on where a run was interrupted or cut into chunks. An event at s happens
/// after the sweep that makes the count s; the order at one s is exchange, measurement, snapshot.
struct Schedule {
    std::int64_t start = 0;  ///< completed sweeps at the beginning (nothing happens at `start` itself)
    std::int64_t end = 0;    ///< completed sweeps at the end (events at `end` happen)
    std::int64_t sweeps_per_swap = 0;  ///< exchanges, of the sampler, at its multiples; 0: none
    std::int64_t run_start = 0;        ///< measurements count from here
    std::int64_t measure_every = 0;    ///< measurements at run_start + its multiples; 0: none
    std::int64_t snapshots =
        0;  ///< kept at equally spaced measurements of (start, end]; no more than there are
    /// Where there are some, measurements are at run_start + these (ascending, up to the end) and snapshots
    /// at run_start + those that are in `waiting`; the three before have no meaning.
    std::vector<std::int64_t> times{}, waiting{};
    std::int64_t sweeps_per_step = 1;  ///< all counts are multiples of it; Shape::hits

    bool measurement_at(std::int64_t completed) const;
    bool snapshot_at(std::int64_t completed) const;
    /// The first count after `completed` at which there is a measurement, or `end`.
    std::int64_t next_measurement(std::int64_t completed) const;
    /// Measurements in (start, end].
    std::int64_t measurements() const;
    /// Snapshots in (start, completed].
    std::int64_t snapshots_until(std::int64_t completed) const;
};

/// Decides how many sweeps to give to the backend between two looks at the clock, the stop request and the
/// device. A look waits for the device, so it must be rare; but a stop request must be seen soon. The rate of
/// sweeps is measured and the number of sweeps adapted so that a look comes about every `seconds`.
class Pacer {
  public:
    explicit Pacer(double seconds = 0.25) : seconds_(seconds) {}

    /// Sweeps to give until the next look, at least 1.
    std::int64_t budget() const { return budget_; }

    /// Tells that `sweeps` took `seconds` of wall time. The budget grows at most fourfold per look.
    void looked(std::int64_t sweeps, double seconds);

  private:
    double seconds_;
    std::int64_t budget_ = 1;
};

}  // namespace psflip
