#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"
#include "random/splitmix64.hpp"

namespace psflip {

// Generators with a state, as the literature uses them: for comparison, never for results. Each is a type G
// with
//
//   name, words     of the published name; uint32 of memory for each stream
//   accesses        words of this memory that each number reads and writes; 0: registers hold them
//   range           numbers are below it; a step of probability p is accepted where number < range p
//   seed(words, s)  fills the memory of a stream from a 64-bit seed, on the host
//   G(words, drawn) a stream in registers, of which `drawn` numbers have been taken since it was seeded
//   next()          the next number
//   next(number)    of some: the next N, N <= 4, of which words in memory are all read before one is written
//   store(words)    puts back what registers hold

/// The memory of one stream among many: word j of stream t of T lies at j T + t, so that threads beside each
/// other read words beside each other (arXiv:1411.0127, section III).
struct StreamWords {
    std::uint32_t* first;
    std::size_t stride;

    PSFLIP_HD std::uint32_t& operator[](std::size_t j) const { return first[j * stride]; }
};

/// The next N numbers of a stream, with one wait for memory where it can be so.
template <int N, class G>
PSFLIP_HD void next_numbers(G& stream, std::uint32_t (&number)[N]) {
    if constexpr (requires { stream.next(number); }) {
        stream.next(number);
    } else {
        PSFLIP_UNROLL
        for (int j = 0; j < N; ++j) number[j] = stream.next();
    }
}

/// The seed of stream t, from that of all.
constexpr std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t t) {
    return splitmix64(splitmix64(seed) + t);
}

}  // namespace psflip
