#pragma once

#include <string>

#include "audit/audit.hpp"
#include "io/file.hpp"
#include "run/simulation.hpp"

namespace psflip {

/// Compares a rerun, bit by bit and array by array, with its realizations in the run file. Unless `end_state`
/// is empty, compares the final state with this state file, too. Sets counts, hashes and the first difference
/// of `result`. Errors: InputError if the files lack data or hold impossible values.
void compare_with_files(const InputFile& run_file, const std::string& end_state, const SimulationCall& rerun,
                        AuditResult& result);

}  // namespace psflip
