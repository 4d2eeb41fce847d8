#pragma once

// Tunes the temperatures of a study by short runs, for pt-run --tune-ladder.

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "run/batch.hpp"
#include "run/run.hpp"

namespace psflip {

/// Holds the measurement of a ladder of temperatures in a short run. It is equal on every backend.
struct LadderMeasurement {
    std::vector<double> temperatures;      ///< (slot), J / k_B, ascending
    std::vector<double> acceptance;        ///< (pair), mean over realizations and replicas
    std::vector<double> acceptance_error;  ///< (pair), standard error from the realizations
    std::vector<double> attempts;          ///< (pair), sum over realizations and replicas
    /// (slot): among the walkers that have been at an end of the ladder, the fraction whose last end was the
    /// cold end. It is 1 at the coldest slot, 0 at the hottest slot, and NaN if there was no such walker.
    std::vector<double> cold_fraction;
    double round_trips = 0.0;        ///< mean per sweep, of all walkers of one replica of one realization
    double round_trips_error = 0.0;  ///< standard error from the realizations
    double trips_per_walker = 0.0;   ///< mean number of round trips of a walker in the measurement
    double flips = 0.0;              ///< proposed flips, including the sweeps before the measurement

    int n_temperatures() const { return static_cast<int>(temperatures.size()); }
    double mean_acceptance() const;
    double lowest_acceptance() const;
    double highest_acceptance() const;
};

/// Holds the options of a tuning, as the user gives them.
struct TuneOptions {
    /// Wanted acceptance of every pair, 0 to 1, exclusive. It sets the number of temperatures. If even and
    /// odd pairs are tried in turn, round trips per flip have their maximum at about 0.4:
    /// - 0.39 for uncorrelated energies (C. Predescu et al., J. Phys. Chem. B 109, 4189 (2005)),
    /// - 0.41 measured by M. Lingenheil et al., Chem. Phys. Lett. 478, 80 (2009),
    /// - 0.37 to 0.45 measured with psflip for L = 6, 8 and 10.
    ///
    /// The maximum is flat: a target of 0.25 or 0.55 costs 8%.
    double target_acceptance = 0.4;
    int count = 0;                ///< number of temperatures; 0: from target_acceptance
    bool feedback = false;        ///< optimise the flow of round trips after equal acceptances are reached
    std::int64_t sweeps = 16384;  ///< measured sweeps per ladder, after equally many sweeps from random spins
};

/// Holds the ladders that were tried, in order: the ladder of the study, the ladders on the way to equal
/// acceptances, and the feedback ladders.
struct LadderTuning {
    std::vector<LadderMeasurement> rounds;  ///< rounds[0] is the study's ladder
    int constant = 0;                       ///< index of the round with equal acceptances
    int chosen = 0;                         ///< the result; differs from `constant` only if feedback helped
    bool converged = false;  ///< the acceptances of rounds[constant] agree within `acceptance_tolerance`

    const LadderMeasurement& before() const { return rounds.front(); }
    const LadderMeasurement& after() const { return rounds[chosen]; }
};

/// The acceptances of a converged ladder differ from their mean by at most this number.
inline constexpr double acceptance_tolerance = 0.02;

/// Does the work of `pt-run --tune-ladder`. It tunes the ladder on the realizations of `disorder_path` and
/// writes the YAML file `out` and, unless `numbers` is empty, the HDF5 file `numbers`
/// (tuning/ladder_file.hpp).
/// - First it measures the ladder of `parameters`.
/// - Then it replaces the ladder by a ladder whose pairs have equal shares of the measured distance
///   (tuning/ladder_tuning.hpp). It repeats this until the acceptances agree, at most eight times.
/// - With options.feedback, four more steps follow, each half the way to the density of cond-mat/0602085. The
///   step with the most round trips per sweep wins, if it exceeds the ladder of equal acceptances by twice
///   the standard error.
///
/// Results are equal on every backend. Errors: as thermalize; Stopped without a checkpoint; InputError if
/// more than 64 temperatures would be needed, or if the range is a single temperature.
void tune_ladder_program(const Parameters& parameters, const std::string& disorder_path,
                         const std::string& out, const std::string& numbers, const TuneOptions& options,
                         const RunOptions& run_options);

/// Makes the checks that tune_ladder_program makes before it works, for --validate. An empty name is a file
/// that is not given.
void check_tune_ladder(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                       const std::string& numbers, const RunOptions& run_options);

}  // namespace psflip
