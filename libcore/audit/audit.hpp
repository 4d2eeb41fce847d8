// Repeats a slice of a finished run and compares every number bit for bit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/batch.hpp"
#include "run/run.hpp"

namespace psflip {

/// Names a finished run file and the files that it was made from.
struct AuditFiles {
    std::string disorder, state, run;
    std::string end_state;  ///< state in which the run ended; empty: not compared
};

/// Says which realizations are run again.
struct AuditChoice {
    std::optional<std::int64_t> first;  ///< number in the campaign; none: a column of 128 drawn by `seed`
    std::int64_t count = 0;             ///< realizations from `first` on; 0: 128
    std::uint64_t seed = 1;
};

/// Describes the first value that differs.
struct AuditDifference {
    std::string file, dataset;
    std::vector<std::int64_t> index;          ///< in the dataset of the file
    std::optional<std::int64_t> realization;  ///< number in the campaign, if the dataset has this axis
    std::string in_file, in_rerun;
};

/// Holds what was compared, and the result.
struct AuditResult {
    AuditFiles files;
    std::map<std::string, std::string> hashes;  ///< XXH64 of the files by path
    std::map<std::string, std::string>
        provenance;                            ///< of the run file: backend, device, host, git_commit, ...
    std::map<std::string, std::string> rerun;  ///< provenance of the audit
    int L = 0;
    std::int64_t first_realization = 0, realizations = 0;  ///< realizations that were run again
    std::int64_t batch_first = 0, batch_realizations = 0;  ///< realizations of the whole batch
    std::int64_t first_sweep = 0, last_sweep = 0;          ///< in sweeps since the end of thermalization
    double flips = 0.0, seconds = 0.0;
    std::int64_t values = 0;                   ///< number of values that were compared
    std::int64_t differences = 0;              ///< values that differ
    std::string hash_in_files, hash_in_rerun;  ///< XXH64 of all values compared
    std::optional<AuditDifference> first_difference;
};

/// Does the work of the program `audit`: runs a slice of the batch again from the state that a run file began
/// with, on the backend of `options`. It compares all sums, counts and snapshots, and the state at the end,
/// bit for bit. Results do not depend on the backend, so any difference is a fault of hardware, driver or
/// program. Writes the result to `out` as JSON. Stops and saves checkpoints as pt_run. Errors: as pt_run;
/// InputError if the files do not belong together or to the parameters.
AuditResult audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                  const std::string& out, const RunOptions& options);

/// Checks for --validate what `audit` checks before it works. An empty name stands for a file that is not
/// given; the given files are then compared with the parameters alone.
void check_audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                 const std::string& out, const RunOptions& options);

/// Returns a sentence such as "run.h5 and its rerun on cpu scalar differ: /blocks/energy [0, 1, 2, 3]
/// (realization 3) is 4 in the file, 8 rerun; 17 of 1000 values differ".
std::string difference_text(const AuditResult& result);

}  // namespace psflip
