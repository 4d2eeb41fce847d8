#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/run_grid.hpp"
#include "run/state_file.hpp"

namespace psflip {

/// InputError where a state file is at `path` that is of another batch, has another past or stands at a later
/// sweep than the one that will be written. relaxation: the relax_lines of the past without exchange (see
/// fingerprint.hpp); empty: thermalize and pt-run made it.
void check_older_state(const std::string& path, const BatchIdentity& identity, std::int64_t sweep,
                       const std::string& relaxation = "");

/// A run file that will be written, of first < sweep <= last since thermalization.
struct RunPlanned {
    std::int64_t first, last;
    RunGrid grid;
    std::int64_t snapshots;  ///< how many
};

/// InputError where a run file is at `path` that is of another batch, or holds sweeps, blocks, bins or
/// snapshots that the one that will be written does not hold.
void check_older_run(const std::string& path, const BatchIdentity& identity, const RunPlanned& planned);

/// InputError where a file of a tuned ladder (kind `ladder`) of another batch is at `path`.
void check_older_ladder(const std::string& path, const BatchIdentity& identity);

/// A value in a text, between what stands before and after it.
struct TextValue {
    std::string name;  ///< for people
    std::string before, value, after;
};

/// InputError where a text is at `path` that has another one of these values than the text that will be
/// written: of another lattice or other realizations. `what`: "list of temperatures".
void check_older_text(const std::string& path, const std::string& what, const std::vector<TextValue>& values);

}  // namespace psflip
