#pragma once

#include <string>

namespace psflip {

/// Holds a warning about verdicts or errors of one lattice size. The text is a sentence for people. The kind
/// is a name for programs that group warnings or offer remedies. reduced.h5 holds both. A kind keeps its name
/// if the sentence changes.
///
/// The kinds are:
/// - basis of the verdict "equilibrated": `untested`, `test_none`, `log2_alone`,
///   `mixed_walkers`;
/// - drift between the last half of the runs and the time before it: `drift`, `drift_untested`;
/// - memory of the hottest slot, or of the only slot: `hottest`, `metropolis`, `one_temperature`;
/// - realizations in which nothing moved: `never_moved`;
/// - errors: `one_realization`, `withheld_errors`, `shared_noise`.
struct AnalysisWarning {
    std::string kind, text;  ///< both empty: no warning

    bool empty() const { return text.empty(); }
};

}  // namespace psflip
