#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Holds the request to the program `measure`.
struct AnalyseOptions {
    std::string disorder;
    std::vector<std::string> runs;  ///< consecutive run files of one batch, in any order
    std::string out;
    bool from_snapshots = false;  ///< measures the snapshots of the runs instead of taking their sums
    bool force = false;           ///< an output of another batch or of a longer run may be replaced
    BackendChoice backend;        ///< threads for all work, the rest for from_snapshots
    Provenance provenance;        ///< of the program; the library adds backend and hashes of inputs
};

/// Writes thermal averages of one batch of realizations, their errors and autocorrelation times, and the
/// verdicts on equilibrium to an observables file. observables_datasets.cpp has its datasets.
/// Averages, errors and times are from the sweeps after the attribute averaged_from, which run.discard sets.
/// Tests, bins, walk and histograms are from all sweeps of the run files. An equilibrated realization passes
/// the log2 test, has moved, and has walked long enough through the temperatures (walk.hpp). It also forgets
/// its spins at the hottest temperature without exchange (hottest_slot.hpp). With equilibration.test: none
/// all verdicts are 1.
/// Errors: InputError as read_runs, and if `out` is an input. Without options.force, InputError if `out`
/// would replace a longer run or another batch. EnvironmentError if `out` cannot be written.
void analyse_run(const Config& config, const Parameters& parameters, const AnalyseOptions& options);

/// Checks for --validate what analyse_run checks before it works: the inputs, and what `out` would replace.
/// Names that are not given are empty. Without a disorder file the runs are compared with the parameters
/// alone.
void check_analyse_run(const Parameters& parameters, const AnalyseOptions& options);

}  // namespace psflip
