// Tunes the temperatures of a study: measures ladders and replaces them until acceptances are equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "run/batch.hpp"
#include "run/run.hpp"

namespace psflip {

/// Holds what a short run measures of a ladder of temperatures, equal on every backend.
struct LadderMeasurement {
    std::vector<double> temperatures;      ///< (slot), J / k_B, ascending
    std::vector<double> acceptance;        ///< (pair), mean over realizations and replicas
    std::vector<double> acceptance_error;  ///< (pair), standard error from the realizations
    std::vector<double> attempts;          ///< (pair), of all realizations and replicas
    /// (slot): among the walkers there that were at an end, the fraction that was last at the cold end. It
    /// begins with 1 and ends with 0.
    std::vector<double> cold_fraction;
    double round_trips = 0.0;        ///< per sweep, of all walkers of one replica of one realization, mean
    double round_trips_error = 0.0;  ///< standard error from the realizations
    double trips_per_walker = 0.0;   ///< completed trips in the measured sweeps, mean
    double flips = 0.0;              ///< proposed spin flips of the whole run

    int n_temperatures() const { return static_cast<int>(temperatures.size()); }
    double mean_acceptance() const;
    double lowest_acceptance() const;
    double highest_acceptance() const;
};

/// Holds the request of the user.
struct TuneOptions {
    /// Acceptance of every pair, about, 0 to 1, exclusive. It decides the number of temperatures. If even and
    /// odd pairs are tried in turn, round trips per flip have their maximum at about 0.4. The maximum is at
    /// 0.39 for uncorrelated energies (C. Predescu et al., J. Phys. Chem. B 109, 4189 (2005)). M. Lingenheil
    /// et al., Chem. Phys. Lett. 478, 80 (2009) measured 0.41, and psflip 0.37 to 0.45 for L = 6, 8 and 10.
    /// The maximum is flat: a target of 0.25 or 0.55 costs 8%.
    double target_acceptance = 0.4;
    int count = 0;                ///< number of temperatures; 0: from target_acceptance
    bool feedback = false;        ///< optimise the flow of round trips, after equal acceptances
    std::int64_t sweeps = 16384;  ///< measured sweeps per ladder, after the same number from random spins
};

/// Holds the ladders that were tried, in order: the ladder of the study, the ladders on the way to equal
/// acceptances, and the ladders of the feedback.
struct LadderTuning {
    std::vector<LadderMeasurement> rounds;  ///< rounds[0] is the ladder of the study
    int constant = 0;                       ///< number of the round with equal acceptances
    int chosen = 0;  ///< number of the result; differs from `constant` only if feedback raised the round
                     ///< trips
    bool converged = false;  ///< the acceptances of rounds[constant] agree within `acceptance_tolerance`

    const LadderMeasurement& before() const { return rounds.front(); }
    const LadderMeasurement& after() const { return rounds[chosen]; }
};

/// Maximum deviation of the acceptances of a converged ladder from their mean.
inline constexpr double acceptance_tolerance = 0.02;

/// Does the work of `pt-run --tune-ladder`: tunes the ladder on the realizations of `disorder_path` and
/// writes the YAML file `out` and, unless `numbers` is empty, the HDF5 file `numbers`
/// (tuning/ladder_file.hpp).
///
/// It measures the ladder of `parameters` and replaces it by a ladder whose pairs share the measured distance
/// equally (tuning/ladder_tuning.hpp). It repeats this until the acceptances agree, but at most eight times.
/// With options.feedback four more steps follow, each half the way to the density of cond-mat/0602085. The
/// step with most round trips per sweep wins if it exceeds equal acceptances by twice the standard error.
/// Results are equal on every backend.
///
/// Errors: as thermalize; Stopped without a checkpoint; InputError if more than 64 temperatures would be
/// needed, or if the range is a single temperature.
void tune_ladder_program(const Parameters& parameters, const std::string& disorder_path,
                         const std::string& out, const std::string& numbers, const TuneOptions& options,
                         const RunOptions& run_options);

/// Checks for --validate what tune_ladder_program checks before it works. An empty name stands for a file
/// that is not given.
void check_tune_ladder(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                       const std::string& numbers, const RunOptions& run_options);

}  // namespace psflip
