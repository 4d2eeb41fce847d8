#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/batch.hpp"
#include "run/run.hpp"

namespace psflip {

/// A finished run file and what it was made from.
struct AuditFiles {
    std::string disorder, state, run;
    std::string end_state;  ///< the state that the run ended in; empty: not compared
};

/// Which realizations are run again.
struct AuditChoice {
    std::optional<std::int64_t> first;  ///< global number; none: a column of 128 drawn by `seed`
    std::int64_t count = 0;             ///< from `first` on; 0: 128
    std::uint64_t seed = 1;
};

/// The first value that differs.
struct AuditDifference {
    std::string file, dataset;
    std::vector<std::int64_t> index;          ///< in the dataset of the file
    std::optional<std::int64_t> realization;  ///< global number, where the dataset has this axis
    std::string in_file, in_rerun;
};

/// What was compared and how it ended.
struct AuditResult {
    AuditFiles files;
    std::map<std::string, std::string> hashes;  ///< of the files: path -> XXH64
    std::map<std::string, std::string>
        provenance;                            ///< of the run file: backend, device, host, git_commit, ...
    std::map<std::string, std::string> rerun;  ///< the same of the audit
    int L = 0;
    std::int64_t first_realization = 0, realizations = 0;  ///< run again
    std::int64_t batch_first = 0, batch_realizations = 0;  ///< of which they are a part
    std::int64_t first_sweep = 0, last_sweep = 0;          ///< since the end of thermalization
    double flips = 0.0, seconds = 0.0;
    std::int64_t values = 0;                   ///< compared
    std::int64_t differences = 0;              ///< values that differ
    std::string hash_in_files, hash_in_rerun;  ///< XXH64 of all values compared
    std::optional<AuditDifference> first_difference;
};

/// The work of the program `audit`: runs a part of the batch again from the state that a run file began with,
/// on the backend of `options`. It compares all sums, counts and snapshots, and the state at the end, bit for
/// bit. Because results do not depend on the backend, any difference is a fault of hardware, driver or
/// program. Writes the result to `out` as JSON. Stops and saves checkpoints as pt_run. Errors: InputError if
/// the files do not belong together or to the parameters.
AuditResult audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                  const std::string& out, const RunOptions& options);

/// Checks, for --validate, what `audit` checks before it works. An empty name stands for a file that is not
/// given; the given files are then compared with the parameters alone.
void check_audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                 const std::string& out, const RunOptions& options);

/// Returns "run.h5 and its rerun on cpu scalar differ: /blocks/energy [0, 1, 2, 3] (realization 3) is 4 in
/// the file, 8 rerun; 17 of 1000 values differ".
std::string difference_text(const AuditResult& result);

}  // namespace psflip
