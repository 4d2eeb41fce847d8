#pragma once

// Times the generators of cuRAND in the tasks of rng_timings.hpp, for comparison.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "bench/stateful/glass.hpp"

namespace psflip {

/// Returns the names of cuRAND's generators: curand-xorwow, curand-mtgp32, curand-mrg32k3a, curand-philox,
/// curand-mt19937.
const std::vector<std::string>& curand_generators();

/// Time cuRAND on the CUDA device of `choice`. The rows have the fields of time_fill, time_odd and
/// time_glass.
/// - fill: the host interface.
/// - odd, glass: the device interface; MTGP32 uses 64 blocks of 256 threads, as published. In the glass,
///   each thread loads its state, draws for four replicas and stores the state. MTGP32 uses 200 blocks,
///   which draw together.
///
/// If there is no result, the field `note` gives the reason:
/// - psflip was built without cuRAND (PSFLIP_CURAND, or a toolkit that lacks it),
/// - MT19937 has no device interface.
BenchRow time_curand_fill(const BackendChoice& choice, const std::string& generator, std::uint64_t numbers,
                          const BenchmarkTiming& timing);
BenchRow time_curand_odd(const BackendChoice& choice, const std::string& generator,
                         const BenchmarkTiming& timing);

BenchRow time_curand_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                           int words, const BenchmarkTiming& timing);

/// Three interfaces to cuRAND for builds that have it: arrays of numbers, states of threads, and a glass.
class CurandArray {
  public:
    virtual ~CurandArray() = default;
    virtual void fill() = 0;
    virtual void synchronize() = 0;
};
class CurandStates {
  public:
    virtual ~CurandStates() = default;
    /// Draws 2^15 numbers in each of 64 x 256 threads and returns the number of odd ones.
    virtual std::uint64_t count_odd() = 0;
    /// Draws the next `each` numbers of each thread: (block, number, thread).
    virtual std::vector<std::uint32_t> draw(int each) = 0;
};
class CurandGlass {
  public:
    virtual ~CurandGlass() = default;
    virtual void sweep(int count) = 0;
    virtual void synchronize() = 0;
    virtual std::size_t state_bytes() const = 0;  ///< bytes of all states
};
std::unique_ptr<CurandGlass> make_curand_glass(const std::string& generator, int device,
                                               const GlassSetup& setup);
std::unique_ptr<CurandArray> make_curand_array(const std::string& generator, int device, std::uint64_t seed,
                                               std::uint64_t numbers);
std::unique_ptr<CurandStates> make_curand_states(const std::string& generator, int device,
                                                 std::uint64_t seed);

}  // namespace psflip
