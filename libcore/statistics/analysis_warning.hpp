#pragma once

#include <string>

namespace psflip {

/// Holds a warning about verdicts or errors of one lattice size: a sentence for people, and the name of its
/// kind for programs that group warnings or offer remedies. reduced.h5 holds both. A kind keeps its name if
/// the sentence changes. These kinds exist:
///
///   basis of the verdict "equilibrated"      untested, test_none, log2_alone
///   averages that drift in the runs          drift, drift_untested
///   memory of the hottest or only slot       hottest, metropolis, one_temperature
///   realizations in which nothing moved      never_moved
///   errors                                   one_realization, withheld_errors, shared_noise
struct AnalysisWarning {
    std::string kind, text;  ///< both empty: no warning

    bool empty() const { return text.empty(); }
};

}  // namespace psflip
