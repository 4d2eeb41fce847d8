#pragma once

#include <cstdint>
#include <string>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "bench/stateful/ferromagnet.hpp"
#include "bench/stateful/glass.hpp"
#include "lattice/site_order.hpp"

namespace psflip {

/// Begins a row with what a glass was made of.
BenchRow glass_row(const std::string& series, const GlassSetup& setup, const std::string& device);

// Timings of bench-rng. Each gives a row with the fields series, generator, device, threads (0 on a GPU),
// streams, width, what was done, the time as the median over repeats, spread ((largest - smallest) / median),
// and bytes of state: of all streams in memory (state_bytes), and read and written for each number
// (bytes_per_number); 0 for philox, whose key is an argument.

/// Filling an array of about `numbers` floats: init_seconds (streams are seeded on the host and brought to
/// the device), fill_seconds, numbers_per_second. On a GPU by eight blocks of 256 threads for each
/// multiprocessor, of generators with large states by two.
BenchRow time_fill(const BackendChoice& choice, const std::string& generator, std::uint64_t numbers,
                   const BenchmarkTiming& timing);

/// Counting the odd ones of 2^15 numbers of each of 64 x 256 threads on a GPU, as published, or
/// (fills_device: series odd-filling) of as many as time_fill takes; of 64 streams on the CPU:
/// numbers_per_second.
BenchRow time_odd(const BackendChoice& choice, const std::string& generator, bool fills_device,
                  const BenchmarkTiming& timing);

/// Sweeps of the three-dimensional ±J glass, 4 replicas, at T = 1.1: ps_per_flip. `words` of 32 realizations;
/// 0: as many as fill the device, on the CPU four for each thread. bytes_per_flip: of a word of a site, six
/// bonds for all replicas and for each its spins read and written, those of the other colour, and the state;
/// each once.
BenchRow time_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                    int words, const BenchmarkTiming& timing);

/// The glass that it times.
GlassSetup timed_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                       int words);

/// Sweeps of a ferromagnet: ps_per_flip. Its generator, size, order and whether it is packed are taken; beta
/// is 0.4 in two dimensions, 0.22 in three, streams are the usual ones.
BenchRow time_ferromagnet(const BackendChoice& choice, FerromagnetSetup setup, const BenchmarkTiming& timing);

}  // namespace psflip
