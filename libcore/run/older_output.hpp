#pragma once

#include <cstdint>
#include <string>

#include "run/state_file.hpp"

namespace psflip {

/// InputError where a state file is at `path` that is of another batch or stands at a later sweep than the
/// one that will be written.
void check_older_state(const std::string& path, const BatchIdentity& identity, std::int64_t sweep);

/// InputError where a run file is at `path` that is of another batch, or holds sweeps that the one that will
/// be written, of first < sweep <= last since thermalization, does not hold.
void check_older_run(const std::string& path, const BatchIdentity& identity, std::int64_t first,
                     std::int64_t last);

/// InputError where a file of a tuned ladder (kind `ladder`) of another batch is at `path`.
void check_older_ladder(const std::string& path, const BatchIdentity& identity);

}  // namespace psflip
