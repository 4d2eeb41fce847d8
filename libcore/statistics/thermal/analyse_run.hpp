#pragma once

// Does the work of the program `measure`: computes thermal averages and verdicts from run files.

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Holds the inputs and options of the program `measure`.
struct AnalyseOptions {
    std::string disorder;
    std::vector<std::string> runs;  ///< consecutive run files of one batch, in any order
    std::string out;
    bool from_snapshots = false;  ///< measure the snapshots anew instead of using the sums of the runs
    bool force = false;           ///< replace an output of another batch or of a longer run
    BackendChoice backend;        ///< `threads` is for all work, all else for from_snapshots
    Provenance provenance;        ///< of the program; analyse_run adds input hashes
};

/// Writes an observables file for one batch: thermal averages with errors and autocorrelation times, and
/// verdicts on equilibrium. Its datasets are listed in observables_datasets.cpp.
/// - Averages, errors and times use the sweeps after the attribute averaged_from, which run.discard sets.
///   Tests, bins, walk and histograms use all sweeps of the run files.
/// - A realization is equilibrated if it passes four tests: the log2 test, a long enough walk through the
///   temperatures (walk.hpp), moved(), and decorrelation at the hottest temperature without exchange
///   (hottest_slot.hpp). With equilibration.test: none, all verdicts are 1.
///
/// Errors:
/// - InputError as read_runs,
/// - InputError if `out` is an input,
/// - InputError if `out` holds a longer run or another batch, unless options.force,
/// - EnvironmentError if `out` cannot be written.
void analyse_run(const Config& config, const Parameters& parameters, const AnalyseOptions& options);

/// Makes the checks of analyse_run on the inputs and on an existing output, for --validate. Names that are
/// not given are empty. Without a disorder file, runs are compared with the parameters alone.
void check_analyse_run(const Parameters& parameters, const AnalyseOptions& options);

}  // namespace psflip
