#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// The work of the program `measure`.
struct AnalyseOptions {
    std::string disorder;
    std::vector<std::string> runs;  ///< consecutive run files of one batch, in any order
    std::string out;
    bool from_snapshots = false;  ///< measure the snapshots of the runs anew instead of taking their sums
    bool force = false;           ///< an output of another batch or of a longer run may be replaced
    BackendChoice backend;        ///< threads for all work, the rest for from_snapshots
    Provenance provenance;        ///< of the program; input hashes (and backend) are added here
};

/// Writes thermal averages of one batch of realizations, their errors and autocorrelation times, and the
/// verdicts on equilibrium to an observables file. observables_datasets.cpp has its datasets. Averages,
/// errors and times are from the sweeps after the attribute averaged_from, which run.discard sets. Tests,
/// bins, walk and histograms are from all sweeps of the run files. A realization is equilibrated if it passes
/// the log2 test, has walked for long enough through the temperatures (walk.hpp), has moved, and forgets at
/// the hottest temperature by itself (hottest_slot.hpp). With equilibration.test: none all verdicts are 1.
/// Errors: InputError as read_runs, if `out` is an input, and, without options.force, if it would replace a
/// longer run or another batch; EnvironmentError if `out` cannot be written.
void analyse_run(const Config& config, const Parameters& parameters, const AnalyseOptions& options);

/// Checks the inputs, and what `out` would replace, as analyse_run does before it works; for --validate.
/// Names that are not given are empty: runs without couplings are compared with the parameters alone.
void check_analyse_run(const Parameters& parameters, const AnalyseOptions& options);

}  // namespace psflip
