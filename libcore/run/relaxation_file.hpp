#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "io/file.hpp"
#include "run/run_file.hpp"

namespace psflip {

/// Returns start, times and temperatures of a relaxation without its end, as "key: value" lines. A call and
/// its continuation have them in common.
std::string relax_lines(const RelaxSection& relax);

/// Writes all of a relaxation file but its commit: /times, /factors, /fields, /waiting, /temperatures and
/// under /relaxation the sums from which all others can be computed. The accumulators have a bin per time.
void write_relaxation(OutputFile& file, const RunData& run, const Parameters& parameters, ThreadPool& pool);

/// The datasets of relaxation files of lattices of this dimension.
DatasetTable relaxation_datasets(int dimension, bool field, bool vectors = false);

/// InputError if a relaxation file at `path` belongs to another batch or relaxation, or has times outside of
/// (first, last].
void check_existing_relaxation(const std::string& path, const BatchIdentity& identity,
                               const std::string& lines, std::int64_t first, std::int64_t last);

}  // namespace psflip
