#pragma once

#include "bench/generators/streams.hpp"

namespace psflip {

/// Implements the Mersenne twister of Matsumoto and Nishimura (doi:10.1145/272991.272995). This code makes
/// one word at a time. The original code makes 624 words at once and gives an equal sequence. With seed 5489,
/// the 10000th number is 4123659995.
class Mt19937 {
  public:
    static constexpr const char* name = "MT19937";
    static constexpr int words = 624;
    static constexpr int accesses = 4;
    static constexpr std::uint64_t range = std::uint64_t{1} << 32;

    static void seed(StreamWords words, std::uint64_t seed) {
        auto x = static_cast<std::uint32_t>(seed);
        for (std::uint32_t j = 0; j < Mt19937::words; ++j) {
            words[j] = x;
            x = 1812433253u * (x ^ (x >> 30)) + j + 1;
        }
    }
    PSFLIP_HD Mt19937(StreamWords words, std::uint64_t drawn)
        : state_(words), at_(static_cast<int>(drawn % Mt19937::words)) {}
    PSFLIP_HD std::uint32_t next() {
        std::uint32_t number[1];
        next(number);
        return number[0];
    }
    template <int N>
    PSFLIP_HD void next(std::uint32_t (&number)[N]) {
        constexpr int lag = 397;
        static_assert(N <= words - lag);
        std::uint32_t near[N + 1], far[N];
        PSFLIP_UNROLL
        for (int j = 0; j <= N; ++j) near[j] = state_[after(j)];
        PSFLIP_UNROLL
        for (int j = 0; j < N; ++j) far[j] = state_[after(lag + j)];
        PSFLIP_UNROLL
        for (int j = 0; j < N; ++j) {
            const std::uint32_t both = (near[j] & 0x80000000u) | (near[j + 1] & 0x7fffffffu);
            const std::uint32_t x = far[j] ^ (both >> 1) ^ (both & 1 ? 0x9908b0dfu : 0);
            state_[after(j)] = x;
            number[j] = tempered(x);
        }
        at_ = after(N);
    }
    PSFLIP_HD void store(StreamWords) const {}

  private:
    PSFLIP_HD int after(int lag) const { return at_ + lag < words ? at_ + lag : at_ + lag - words; }
    PSFLIP_HD static std::uint32_t tempered(std::uint32_t y) {
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        return y ^ (y >> 18);
    }

    StreamWords state_;
    int at_;
};

}  // namespace psflip
