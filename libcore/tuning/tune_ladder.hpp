#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "run/run.hpp"
#include "tuning/ladder_measurement.hpp"

namespace psflip {

/// What the user asks of a tuned ladder.
struct TuneOptions {
    /// Of every pair, about, 0 to 1, exclusive; decides the number of temperatures. Round trips per flip
    /// are most at about 0.4 where even and odd pairs are tried in turn: 0.39 for uncorrelated energies (C.
    /// Predescu et al., J. Phys. Chem. B 109, 4189 (2005)), 0.41 measured by M. Lingenheil et al., Chem.
    /// Phys. Lett. 478, 80 (2009), and 0.37 to 0.45 measured with psflip for L = 6, 8 and 10. The maximum is
    /// flat: a target of 0.25 or 0.55 costs 8%.
    double target_acceptance = 0.4;
    int count = 0;                ///< number of temperatures; 0: from target_acceptance
    bool feedback = false;        ///< optimise the flow of round trips, after equal acceptances
    std::int64_t sweeps = 16384;  ///< measured sweeps per ladder, after as many from random spins
};

/// The ladders that were tried, in order: the study's, those on the way to equal acceptances, and those of
/// the feedback.
struct LadderTuning {
    std::vector<LadderMeasurement> rounds;  ///< rounds[0] is the study's ladder
    int constant = 0;                       ///< number of the round with equal acceptances
    int chosen =
        0;  ///< the result; another one than `constant` only with feedback that raised the round trips
    bool converged = false;  ///< the acceptances of rounds[constant] agree within `acceptance_tolerance`

    const LadderMeasurement& before() const { return rounds.front(); }
    const LadderMeasurement& after() const { return rounds[chosen]; }
};

/// All acceptances of a ladder that counts as even lie within this of their mean.
inline constexpr double acceptance_tolerance = 0.02;

/// Measures the ladder of `parameters`, replaces it by one whose pairs share the measured distance equally
/// (tuning/ladder_tuning.hpp), and so on until the acceptances agree, eight times at most. With
/// options.feedback four more steps, each half the way to the density of cond-mat/0602085; the one with most
/// round trips per sweep wins where it has more than equal acceptances by twice the standard error. The same
/// on every backend. InputError where more than 64 temperatures would be needed, or the range is a single
/// temperature.
LadderTuning tune_ladder(const Parameters& parameters, Batch& batch, const TuneOptions& options,
                         const RunOptions& run_options);

/// The work of `pt-run --tune-ladder`: tunes the ladder on the realizations of `disorder_path` and writes the
/// YAML file `out` and, unless empty, the HDF5 file `numbers` (tuning/ladder_file.hpp). Errors as thermalize;
/// Stopped without a checkpoint.
void tune_ladder_program(const Parameters& parameters, const std::string& disorder_path,
                         const std::string& out, const std::string& numbers, const TuneOptions& options,
                         const RunOptions& run_options);

/// What it checks before it works; for --validate. An empty name stands for a file that is not given.
void check_tune_ladder(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                       const std::string& numbers, const RunOptions& run_options);

}  // namespace psflip
