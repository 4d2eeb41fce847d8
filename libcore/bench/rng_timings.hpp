#pragma once

// Times random number generators alone and in sweeps, for bench-rng.

#include <cstdint>
#include <string>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "bench/stateful/ferromagnet.hpp"
#include "bench/stateful/glass.hpp"
#include "bench/stateful/temperature_words.hpp"
#include "lattice/site_order.hpp"

namespace psflip {

/// Returns a row with the properties of a glass, to which results are added.
BenchRow glass_row(const std::string& series, const GlassSetup& setup, const std::string& device);

// Timings of bench-rng. Each function returns a row with these fields:
// - series, generator, device, threads (0 on a GPU), streams, width (threads that share a stream), and the
//   work
// - the median time over repeats, and spread: (largest - smallest) / median
// - state_bytes: bytes of all streams in memory; 0 for philox, whose key is an argument
// - bytes_per_number: bytes of state that a number reads and writes; 0 for philox

/// Times filling an array of about `numbers` floats. Fields: init_seconds (seeding on the host and transfer),
/// fill_seconds, numbers_per_second. A GPU uses eight blocks of 256 threads per multiprocessor, or two for
/// generators with large states.
BenchRow time_fill(const BackendChoice& choice, const std::string& generator, std::uint64_t numbers,
                   const BenchmarkTiming& timing);

/// Times counting odd numbers. Fields: numbers_per_second, blocks. A GPU draws 2^15 numbers in each thread of
/// this number of blocks of 256 threads. 0 blocks (series odd-filling) mean as many threads as time_fill. The
/// CPU uses 64 streams.
BenchRow time_odd(const BackendChoice& choice, const std::string& generator, int blocks,
                  const BenchmarkTiming& timing);

/// Times sweeps of the three-dimensional ±J glass with 4 replicas at T = 1.1. Field: ps_per_flip. `words` is
/// the number of words of 32 realizations; 0 fills the device, or uses four per CPU thread. The field
/// bytes_per_flip counts accesses to words of a site: six bonds once for all replicas, and for each replica
/// the spin (read and written), its six neighbours and the state.
BenchRow time_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                    int words, const BenchmarkTiming& timing);

/// Times loads of the neighbours and bonds of a glass with one replica (Glass::load_neighbours). Field:
/// ps_per_site, for a word of 32 spins. The series is loads, or grid-loads with threads_in_grid.
BenchRow time_loads(const BackendChoice& choice, int L, SiteOrder order, int words, bool threads_in_grid,
                    const BenchmarkTiming& timing);

/// Times sweeps of a 16 x 16 x 16 glass with 24 temperatures in a word (stateful/temperature_words.hpp), 24
/// realizations per multiprocessor or one per thread. Fields: coding, probability, ps_per_flip. The series is
/// codings if probabilities are thresholds, and probabilities otherwise. Errors: InputError as
/// make_temperature_words.
BenchRow time_temperatures(const BackendChoice& choice, const std::string& series,
                           const std::string& generator, TemperatureCoding coding,
                           FlipProbability probability, const BenchmarkTiming& timing);

/// Times loads of a word of such a lattice and its six neighbours, and a store. Fields: arrangement,
/// ps_per_transaction, gb_per_second (32 bytes per transaction), spins (per word), ps_per_spin.
BenchRow time_arrangement(const BackendChoice& choice, LatticeArrangement arrangement,
                          const BenchmarkTiming& timing);

/// Returns the setup of the timed glass.
GlassSetup timed_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                       int words);

/// Times sweeps of a ferromagnet with the generator, size, order and packing of the setup. Field:
/// ps_per_flip. beta is 0.4 in two dimensions and 0.22 in three. Streams have the usual_layout.
BenchRow time_ferromagnet(const BackendChoice& choice, FerromagnetSetup setup, const BenchmarkTiming& timing);

}  // namespace psflip
