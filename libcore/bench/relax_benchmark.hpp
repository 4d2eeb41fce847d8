#pragma once

#include <cstdint>

#include "bench/benchmark.hpp"

namespace psflip {

/// What a relaxation takes, with and without its measurements.
struct RelaxTiming {
    std::int64_t sweeps = 0;  ///< to the last time
    int measurements = 0;    ///< eight per decade from 2 on, and the same behind the waiting times 0 and 1024
    double ps_alone = 0;     ///< wall time per proposed spin flip of the sweeps alone
    double ps_measured = 0;  ///< and with all measurements of relax
    double milliseconds = 0;                            ///< of one measurement
    double averages = 0, distances = 0, two_times = 0;  ///< its parts, the last with one waiting time
    std::string device;                                 ///< Ensemble::description()
};

/// Times one relaxation of `sweeps` sweeps from random spins; setup.production has no meaning. Errors as
/// make_ising_sampler and make_measurement.
RelaxTiming time_relaxation(const BackendChoice& choice, const BenchmarkCase& setup, std::int64_t sweeps);

}  // namespace psflip
