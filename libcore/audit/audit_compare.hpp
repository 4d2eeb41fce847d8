#pragma once

#include <string>

#include "audit/audit.hpp"
#include "io/file.hpp"
#include "run/simulation.hpp"

namespace psflip {

/// Compares the rerun with its realizations in the run file and, unless `end_state` is empty, in that state
/// file, array by array and bit by bit. Sets counts, hashes and the first difference of `result`. Errors:
/// InputError if the files do not hold what their kind must.
void compare_with_files(const InputFile& run_file, const std::string& end_state, const SimulationCall& rerun,
                        AuditResult& result);

}  // namespace psflip
