#pragma once

#include <vector>

#include "bench/benchmark.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// What does the work side by side: multiprocessors of the GPU that `choice` takes, else CPU threads.
int benchmark_processors(const BackendChoice& choice);

/// Columns that fill `processors` at this case's L, replicas and temperatures: the least number that gives
/// every processor 32768 words (of 128 spins), rounded up so that columns * replicas is a multiple of the
/// processors. At most as many as keep spins and couplings of the batch below 2 GiB of host memory each, but
/// at least one.
int filling_columns(const BenchmarkCase& setup, int processors);

/// The cases of bench-flip --sweep-sizes, all with production, 24 temperatures and 2 replicas up to L = 64,
/// one temperature and 4 replicas above, and filling_columns where nothing else is said:
///     table    shares 128, 64, 32, 1; L = 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256
///     sizes    share 128; every even L from 8 to 64, then 96, 128, 192, 256
///     columns  share 128; L = 4, 8, 16, 32, 64; columns 1, 2, 4, ..., 256 as memory (as above) allows
std::vector<BenchmarkCase> sweep_sizes_cases(int processors);

/// The cases of bench-flip --sweep-lanes: both codings of lanes in production at share 1, L = 8, 12, 16, 24,
/// 32, 48, 24 and 56 temperatures, 2 replicas; lanes = replicas with 1, 4, 16, 64, 256 realizations, lanes =
/// realizations with 128 and 256 (fewer than 128 take as long as these).
std::vector<BenchmarkCase> sweep_lanes_cases();

/// True where both are the same work, whatever series they belong to.
bool same_work(const BenchmarkCase& a, const BenchmarkCase& b);

}  // namespace psflip
