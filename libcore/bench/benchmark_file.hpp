#pragma once

#include <string>
#include <vector>

#include "bench/benchmark.hpp"

namespace psflip {

/// The results as a JSON list of flat objects, one per line, with the fields series, backend, L, share,
/// replicas, temperatures, columns, model, threads, production, kernel, ps_per_flip, spread, commit, date,
/// device.
std::string benchmark_json(const std::vector<BenchmarkResult>& results);

/// The results as CSV with a header line and the same fields; texts with commas are quoted.
std::string benchmark_csv(const std::vector<BenchmarkResult>& results);

/// Reads what benchmark_json wrote, in any layout. Every entry needs backend, L, share, replicas,
/// temperatures, columns and ps_per_flip. Unknown fields are ignored. Errors: InputError, with file and line,
/// for anything else; errors of read_regular_file.
std::vector<BenchmarkResult> read_benchmark_json(const std::string& path);

}  // namespace psflip
