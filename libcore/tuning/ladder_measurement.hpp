#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "run/batch.hpp"
#include "run/run.hpp"

namespace psflip {

/// What a short run tells about a ladder of temperatures, the same on every backend.
struct LadderMeasurement {
    std::vector<double> temperatures;      ///< (slot), J / k_B, ascending
    std::vector<double> acceptance;        ///< (pair), mean over realizations and replicas
    std::vector<double> acceptance_error;  ///< (pair), standard error from the realizations
    std::vector<double> attempts;          ///< (pair), of all realizations and replicas
    /// (slot): part of the walkers there that were at the cold end later than at the hot end, of those that
    /// were at one of them. Starts with 1, ends with 0.
    std::vector<double> cold_fraction;
    double round_trips = 0.0;        ///< per sweep, of all walkers of one replica of one realization, mean
    double round_trips_error = 0.0;  ///< standard error from the realizations
    double trips_per_walker = 0.0;   ///< completed while measured, mean
    double flips = 0.0;              ///< proposed in all

    int n_temperatures() const { return static_cast<int>(temperatures.size()); }
    double mean_acceptance() const;
    double lowest_acceptance() const;
    double highest_acceptance() const;
};

/// Runs the batch at parameters.temperatures (2 or more) from random spins for `sweeps` (100 or more) sweeps
/// with exchanges, then for `sweeps` more, which are measured. The labels of the walkers are read every 9
/// exchanges (an odd number, so that both parities of pairs count alike). `title` names the work in the
/// progress. Stopped on a stop request: nothing is saved. EnvironmentError where memory does not suffice.
LadderMeasurement measure_ladder(const Parameters& parameters, Batch& batch, std::int64_t sweeps,
                                 const RunOptions& options, const std::string& title);

}  // namespace psflip
