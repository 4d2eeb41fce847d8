#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"
#include "random/splitmix64.hpp"

namespace psflip {

// Defines what generators with a state must provide. They are published generators, for comparison with
// psflip only. Each generator is a type G with
// - name, words: published name; number of 32-bit words of memory per stream
// - accesses: number of words of this memory that each number reads or writes; 0 if the state fits into
//   registers
// - range: numbers are below range; a flip of probability p is accepted if number < range p
// - seed(words, s): fills the memory of a stream from a 64-bit seed, on the host
// - G(words, drawn): a stream in registers, after `drawn` numbers since it was seeded
// - next(): returns the next number
// - next(number), in some types only: computes the next N <= 4 numbers, and reads all words that it needs
//   before it writes any
// - store(words): writes registers back

/// Gives access to the memory of one of T streams. On the host the stride is 1. On a device it is T, and word
/// j of stream t has the index j T + t, so neighbouring threads read neighbouring words (arXiv:1411.0127,
/// section III).
struct StreamWords {
    std::uint32_t* first;
    std::size_t stride;

    PSFLIP_HD std::uint32_t& operator[](std::size_t j) const { return first[j * stride]; }
};

/// Computes the next N numbers of a stream. Types with next(number) wait for memory only once.
template <int N, class G>
PSFLIP_HD void next_numbers(G& stream, std::uint32_t (&number)[N]) {
    if constexpr (requires { stream.next(number); }) {
        stream.next(number);
    } else {
        PSFLIP_UNROLL
        for (int j = 0; j < N; ++j) number[j] = stream.next();
    }
}

/// Returns the seed of stream t in a set of streams with the common seed `seed`.
constexpr std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t t) {
    return splitmix64(splitmix64(seed) + t);
}

}  // namespace psflip
