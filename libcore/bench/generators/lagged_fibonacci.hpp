#pragma once

#include "bench/generators/lcg.hpp"
#include "bench/generators/streams.hpp"

namespace psflip {

/// Implements the lagged Fibonacci generator u_n = u_{n-R} + u_{n-S} modulo 1 in single precision (Weigel,
/// arXiv:1101.1427, eq. 7), computed with integers. Multiples of 2^-23 add without rounding, so u = number /
/// 2^23. S consecutive numbers do not depend on each other, so up to S threads of a block can draw from one
/// stream together.
template <int R, int S>
class LaggedFibonacci {
    static_assert(R > S && S > 0);

  public:
    static constexpr const char* name = R == 521 ? "Fibonacci (521, 353)" : "Fibonacci (1279, 861)";
    static constexpr int words = R;
    static constexpr int accesses = 3;
    static constexpr int side_by_side = S;  ///< largest number of threads that draw together
    static constexpr std::uint64_t range = std::uint64_t{1} << 23;

    /// Fills the memory with upper bits of LCG64, oldest number first.
    static void seed(StreamWords words, std::uint64_t seed) {
        for (int j = 0; j < R; ++j) {
            seed = lcg64_step(seed);
            words[j] = static_cast<std::uint32_t>(seed >> 41);
        }
    }
    PSFLIP_HD LaggedFibonacci(StreamWords words, std::uint64_t drawn)
        : ring_(words), at_(static_cast<int>(drawn % R)) {}
    PSFLIP_HD std::uint32_t next() {
        const std::uint32_t number = ahead(0);
        ring_[at_] = number;
        at_ = at_ + 1 == R ? 0 : at_ + 1;
        return number;
    }
    /// Returns the number that follows the next k numbers, k < S, without storing it.
    PSFLIP_HD std::uint32_t ahead(int k) const {
        return (ring_[place(k)] + ring_[place(k + R - S)]) & 0x7fffffu;
    }
    /// put and skip replace `count` <= S calls of next, if the threads of a block share the stream. Thread k
    /// stores its number ahead(k) with put. After all threads have done so, each of them skips `count`
    /// numbers.
    PSFLIP_HD void put(int k, std::uint32_t number) const { ring_[place(k)] = number; }
    PSFLIP_HD void skip(int count) { at_ = place(count); }
    PSFLIP_HD void store(StreamWords) const {}

  private:
    PSFLIP_HD int place(int k) const { return (at_ + k) % R; }

    StreamWords ring_;
    int at_;
};
using Fibonacci521 = LaggedFibonacci<521, 353>;
using Fibonacci1279 = LaggedFibonacci<1279, 861>;

}  // namespace psflip
