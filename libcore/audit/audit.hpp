#pragma once

// Repeats a part of a finished run and compares every bit, to find faults of hardware, drivers or programs.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/batch.hpp"
#include "run/run.hpp"

namespace psflip {

/// Names the files of a finished run. `audit` needs all but `end_state`.
struct AuditFiles {
    std::string disorder, state, run;
    std::string end_state;  ///< the state in which the run ended; empty: not compared
};

/// Selects the realizations that are run again.
struct AuditChoice {
    std::optional<std::int64_t> first;  ///< number in the study; none: `seed` draws a column of 128
    std::int64_t count = 0;             ///< number of realizations from `first` on; 0: 128
    std::uint64_t seed = 1;
};

/// Describes the first value that differs between a file and its rerun.
struct AuditDifference {
    std::string file, dataset;
    std::vector<std::int64_t> index;          ///< index in the dataset of the file
    std::optional<std::int64_t> realization;  ///< number in the study, if the dataset has this axis
    std::string in_file, in_rerun;
};

/// Says what an audit compared and how it ended.
struct AuditResult {
    AuditFiles files;
    std::map<std::string, std::string> hashes;  ///< of all files: path -> XXH64
    std::map<std::string, std::string>
        provenance;  ///< from the run file: backend, device, host, git_commit, version
    std::map<std::string, std::string> rerun;  ///< backend, device, host, git_commit and version of the audit
    int L = 0;
    std::int64_t first_realization = 0, realizations = 0;  ///< that were run again
    std::int64_t batch_first = 0, batch_realizations = 0;  ///< of the whole batch
    std::int64_t first_sweep = 0, last_sweep = 0;          ///< since the end of thermalization
    double flips = 0.0, seconds = 0.0;
    std::int64_t values = 0;                   ///< number of compared values
    std::int64_t differences = 0;              ///< number of values that differ
    std::string hash_in_files, hash_in_rerun;  ///< XXH64 of all compared values
    std::optional<AuditDifference> first_difference;
};

/// Does the work of the program `audit`. It repeats a run for a slice of the batch, from the state in which
/// the run began, on the backend of `options`. It compares all sums, counts and snapshots and, if given, the
/// state at the end, bit for bit. Results do not depend on the backend, so any difference is a fault of
/// hardware, driver or program. The result is also written to `out` as JSON.
///
/// Errors: InputError if the files do not belong together or to the parameters; Stopped with a checkpoint, as
/// pt_run.
AuditResult audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                  const std::string& out, const RunOptions& options);

/// Makes the checks that `audit` makes before it works, for --validate. An empty name is a file that is not
/// given. The given files are then compared with the parameters alone.
void check_audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                 const std::string& out, const RunOptions& options);

/// Returns a text like "run.h5 and its rerun on cpu scalar differ: /blocks/energy [0, 1, 2, 3] (realization
/// 3) is 4 in the file, 8 rerun; 17 of 1000 values differ".
std::string difference_text(const AuditResult& result);

}  // namespace psflip
