#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// Gives psflip's random numbers of purpose metropolis (random/purposes.hpp) as a stream, in the order in
/// which sweeps of one share group use them. From the outermost to the innermost loop, the order is: sweeps;
/// red sites (even x + y + z), then black sites, in rows; replicas; temperature slots, four per call.
struct SweepNumbers {
    std::uint64_t seed = 1;
    int L = 16;            ///< even
    int replicas = 4;      ///< up to 8
    int temperatures = 8;  ///< a multiple of 4, up to 64
    std::uint32_t pack = 0;

    /// Returns the L^3 * replicas * temperatures numbers of one sweep.
    std::vector<std::uint32_t> of_sweep(std::uint64_t sweep) const;
};

/// Writes the numbers to standard output as 32-bit words, least significant byte first. Writes whole sweeps
/// from sweep 0 on, until there are at least `bytes` bytes. If `bytes` is 0, writes without end. Errors:
/// InputError for an impossible setup; EnvironmentError if the output is closed.
void write_sweep_numbers(const SweepNumbers& numbers, std::uint64_t bytes);

}  // namespace psflip
