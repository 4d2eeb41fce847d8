// Writes the relaxation file, the output of `relax`. io/schema.hpp has the names of its datasets.
#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "io/file.hpp"
#include "run/run_file.hpp"

namespace psflip {

/// Returns start, times and temperatures of a relaxation, without its end, as "key: value" lines. A call and
/// its continuation have equal lines.
std::string relax_lines(const RelaxSection& relax);

/// Writes everything of a relaxation file before its commit: /times, /factors, /fields, /waiting,
/// /temperatures, and under /relaxation the sums from which all other values can be computed. The
/// accumulators have one bin for each time.
void write_relaxation(OutputFile& file, const RunData& run, const Parameters& parameters, ThreadPool& pool);

/// Returns the datasets of relaxation files of lattices of this dimension. field: the study has a field.
DatasetTable relaxation_datasets(int dimension, bool field, bool vectors = false);

/// Checks that the file at `path` may be replaced. Errors: InputError if it belongs to another batch or
/// relaxation, or has times outside of (first, last].
void check_existing_relaxation(const std::string& path, const BatchIdentity& identity,
                               const std::string& lines, std::int64_t first, std::int64_t last);

}  // namespace psflip
