#pragma once

#include <cstdint>

#include "bench/benchmark.hpp"

namespace psflip {

/// Holds the cost of a relaxation with and without its measurements.
struct RelaxTiming {
    std::int64_t sweeps = 0;  ///< sweeps until the last time
    int measurements = 0;     ///< number of measurements: eight per decade from 2 on, also after the waiting
                              ///< times 0 and 1024
    double ps_alone = 0;      ///< wall time in picoseconds per proposed spin flip, of the sweeps alone
    double ps_measured = 0;   ///< wall time in picoseconds per flip, with all measurements of relax
    double milliseconds = 0;  ///< milliseconds of one measurement
    double averages = 0, distances = 0,
           two_times = 0;  ///< milliseconds of the parts of one measurement; two_times for one waiting time
    std::string device;    ///< Ensemble::description()
};

/// Times one relaxation of `sweeps` sweeps from random spins. It ignores setup.production. Errors: as
/// make_ising_sampler and make_measurement.
RelaxTiming time_relaxation(const BackendChoice& choice, const BenchmarkCase& setup, std::int64_t sweeps);

}  // namespace psflip
