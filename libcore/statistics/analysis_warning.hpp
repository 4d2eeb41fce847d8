#pragma once

#include <string>

namespace psflip {

/// A warning about verdicts or errors of one lattice size: a sentence for people, and the name of its kind
/// for programs that group warnings or offer remedies. reduced.h5 holds both. A kind keeps its name if the
/// sentence changes.
///
/// What the verdict "equilibrated" rests on: `untested`, `test_none`, `log2_alone`. Averages of
/// the last half of the runs against the part before it: `drift`, `drift_untested`. Memory of the hottest
/// slot, or of the only one: `hottest`, `metropolis`, `one_temperature`. Realizations in which nothing moved:
/// `never_moved`. Errors: `one_realization`, `withheld_errors`, `shared_noise`.
struct AnalysisWarning {
    std::string kind, text;  ///< both empty: no warning

    bool empty() const { return text.empty(); }
};

}  // namespace psflip
