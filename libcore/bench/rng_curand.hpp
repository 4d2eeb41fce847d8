#pragma once

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

/// Return rows of the series fill (cuRAND's host interface), odd and glass (device interface; MTGP32 as
/// published with 64 blocks of 256 threads), with the fields of time_fill, time_odd and time_glass, on the
/// CUDA device of `choice`. In the glass, in standard order, each thread loads cuRAND's state, draws for four
/// replicas and stores the state.
/// If a row has no result, the field `note` gives the reason: psflip was built without cuRAND
/// (PSFLIP_CURAND), MT19937 has no device interface, or MTGP32 has states only for blocks.
BenchRow time_curand_fill(const BackendChoice& choice, const std::string& generator, std::uint64_t numbers,
                          const BenchmarkTiming& timing);
BenchRow time_curand_odd(const BackendChoice& choice, const std::string& generator,
                         const BenchmarkTiming& timing);

BenchRow time_curand_glass(const BackendChoice& choice, const std::string& generator, int L, int words,
                           const BenchmarkTiming& timing);

/// Declares the interface to cuRAND, in builds with cuRAND.
class CurandArray {
  public:
    virtual ~CurandArray() = default;
    virtual void fill() = 0;
    virtual void synchronize() = 0;
};
class CurandStates {
  public:
    virtual ~CurandStates() = default;
    /// Draws 2^15 numbers in each of 64 x 256 threads and returns how many are odd.
    virtual std::uint64_t count_odd() = 0;
};
class CurandGlass {
  public:
    virtual ~CurandGlass() = default;
    virtual void sweep(int count) = 0;
    virtual void synchronize() = 0;
    virtual std::size_t state_bytes() const = 0;  ///< bytes of the state of a stream
};
std::unique_ptr<CurandGlass> make_curand_glass(const std::string& generator, int device,
                                               const GlassSetup& setup);
std::unique_ptr<CurandArray> make_curand_array(const std::string& generator, int device, std::uint64_t seed,
                                               std::uint64_t numbers);
std::unique_ptr<CurandStates> make_curand_states(const std::string& generator, int device,
                                                 std::uint64_t seed);

}  // namespace psflip
