#pragma once

// Lists the cases of bench-flip --sweep-sizes and --sweep-lanes.

#include <vector>

#include "bench/benchmark.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Returns the number of multiprocessors of the GPU that `choice` selects, or the number of CPU threads.
int benchmark_processors(const BackendChoice& choice);

/// Returns the number of columns that keeps all `processors` busy. This is the smallest number with 32768
/// words of 128 spins per processor, rounded up so that columns * replicas is a multiple of `processors`. The
/// spins and the couplings of the batch stay below 2 GiB of host memory each. The result is at least 1.
int filling_columns(const BenchmarkCase& setup, int processors);

/// Returns the cases of bench-flip --sweep-sizes. All have production = true. Up to L = 64 they have 24
/// temperatures and 2 replicas, above one temperature and 4 replicas. The default number of columns is
/// filling_columns.
/// - table: shares 128, 64, 32, 1; L = 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256
/// - sizes: share 128; every even L from 8 to 64, then 96, 128, 192, 256
/// - columns: share 128; L = 4, 8, 16, 32, 64; columns 1, 2, 4, ..., 256, as memory allows
std::vector<BenchmarkCase> sweep_sizes_cases(int processors);

/// Returns the cases of bench-flip --sweep-lanes. All have production = true, share 1, L = 8, 12, 16, 24, 32
/// or 48, 24 or 56 temperatures, and 2 replicas. With `lanes: replicas`, they have 1, 4, 16, 64 or 256
/// realizations. With `lanes: realizations`, they have 128 or 256, because fewer than 128 take as long as
/// 128.
std::vector<BenchmarkCase> sweep_lanes_cases();

/// Returns whether both cases do equal work; their series may differ.
bool same_work(const BenchmarkCase& a, const BenchmarkCase& b);

}  // namespace psflip
