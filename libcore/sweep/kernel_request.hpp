#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sweep/stream_part.hpp"

namespace psflip {

/// A CUDA kernel asked for by BackendChoice::kernel: a name, with numbers that fix its plan, for studies and
/// tests. The text is NAME[:NUMBERS[+NUMBERS]][/PARTS], with numbers as in 8x5x2. Missing numbers and 0 leave
/// the choice to the library.
///
///   name       numbers
///   auto       none
///   streaming  none
///   resident   temperatures per group, blocks per cluster, warps per block; behind + a second plan, with the
///              number of its (column, replica) pairs, which are the last ones
///   tiled      sites of one colour along x and rows of a tile, pieces along z
///   fused      temperatures and thread groups per block, 32-bit words per thread
///   replicas   blocks per realization, groups of realizations, words of a site per thread
///
/// PARTS, 1 or 2, is the number of batch slices with their own streams.
struct KernelRequest {
    std::string form = "auto";
    std::array<int, 3> number{};
    int plans = 0;                ///< number of plans with numbers
    std::array<int, 4> beside{};  ///< numbers of the second plan
    int parts = 0;                ///< 0: the library chooses

    /// Returns whether a plan may have `value` as its i-th number.
    bool allows(int i, int value) const { return number[i] == 0 || number[i] == value; }
};

/// Errors: InputError if the text is not of this form.
KernelRequest parse_kernel(const std::string& asked);

}  // namespace psflip
