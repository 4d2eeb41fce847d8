#pragma once

// Times relaxations, for bench-flip --relax.

#include <cstdint>

#include "bench/benchmark.hpp"

namespace psflip {

/// Holds the cost of a relaxation with and without its measurements.
struct RelaxTiming {
    std::int64_t sweeps = 0;  ///< sweeps until the last measurement
    int measurements = 0;     ///< eight times per decade from 2 on, also after the waiting times 0 and 1024
    double ps_alone = 0;      ///< wall time per proposed spin flip of the sweeps alone
    double ps_measured = 0;   ///< wall time per proposed spin flip with all measurements of relax
    double milliseconds = 0;  ///< time of one measurement
    double averages = 0, distances = 0,
           two_times = 0;  ///< shares of one measurement; two_times is for one waiting time
    std::string device;    ///< Ensemble::description()
};

/// Times one relaxation of `sweeps` sweeps from random spins. setup.production has no effect. Errors: as
/// make_ising_sampler and make_measurement.
RelaxTiming time_relaxation(const BackendChoice& choice, const BenchmarkCase& setup, std::int64_t sweeps);

}  // namespace psflip
