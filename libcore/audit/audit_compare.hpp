#pragma once

#include <string>

#include "audit/audit.hpp"
#include "io/file.hpp"
#include "run/simulation.hpp"

namespace psflip {

/// Compares a rerun with its part of the run file and, unless `end_state` is empty, of that state file. The
/// comparison is bit by bit, array by array. It sets counts, hashes and the first difference of `result`.
/// Errors: InputError if the files lack data or hold impossible values.
void compare_with_files(const InputFile& run_file, const std::string& end_state, const SimulationCall& rerun,
                        AuditResult& result);

}  // namespace psflip
