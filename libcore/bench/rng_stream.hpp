#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// psflip's own numbers of purpose metropolis (purposes.hpp) one after the other, in the order in which the
/// sweeps of one pack take them: sweeps; red sites (even x + y + z), then black ones, each in rows; replicas;
/// temperature slots, four of them from one call.
struct SweepNumbers {
    std::uint64_t seed = 1;
    int L = 16;            ///< even
    int replicas = 4;      ///< up to 8
    int temperatures = 8;  ///< a multiple of 4, up to 64
    std::uint32_t pack = 0;

    /// Numbers of a sweep: L^3 replicas temperatures.
    std::vector<std::uint32_t> of_sweep(std::uint64_t sweep) const;
};

/// Writes them to standard output as 32-bit words, the least significant byte first, whole sweeps from sweep
/// 0 on until there are `bytes` of them at least; 0: without end. InputError for numbers that are not as said
/// there; EnvironmentError where nobody takes them.
void write_sweep_numbers(const SweepNumbers& numbers, std::uint64_t bytes);

}  // namespace psflip
