#pragma once

// Writes and reads results of bench-flip, so that they can be compared later.

#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"

namespace psflip {

/// Returns the result as a row, which read_benchmark_json reads from files.
BenchRow benchmark_row(const BenchmarkResult& result);

/// Reads rows of benchmark_row from JSON, in any layout. Every entry needs backend, L, share, replicas,
/// temperatures, columns and ps_per_flip. Unknown fields are ignored. Errors: InputError with file and line;
/// as read_regular_file.
std::vector<BenchmarkResult> read_benchmark_json(const std::string& path);

}  // namespace psflip
