#pragma once

#include "bench/generators/streams.hpp"
#include "random/splitmix64.hpp"

namespace psflip {

/// Implements the generator of Parisi and Rapuano (doi:10.1016/0370-2693(85)90670-7): w_i = w_{i-24} +
/// w_{i-55} modulo 2^32, and the number is w_i ^ w_{i-61}. The 62 words of the wheel are all in memory.
class ParisiRapuano {
  public:
    static constexpr const char* name = "Parisi-Rapuano";
    static constexpr int words = 62;
    static constexpr int accesses = 4;
    static constexpr std::uint64_t range = std::uint64_t{1} << 32;

    /// Fills the wheel with upper halves of splitmix64, oldest word first. LCG32 is not suitable: sums and
    /// exclusive ors move no bit to a lower place. The lowest k bits of the numbers would therefore have only
    /// 2^k different sequences in all streams.
    static void seed(StreamWords words, std::uint64_t seed) {
        for (int j = 0; j < ParisiRapuano::words; ++j)
            words[j] = static_cast<std::uint32_t>(splitmix64(seed + static_cast<std::uint64_t>(j)) >> 32);
    }
    PSFLIP_HD ParisiRapuano(StreamWords words, std::uint64_t drawn)
        : wheel_(words), at_(static_cast<int>(drawn % ParisiRapuano::words)) {}
    PSFLIP_HD std::uint32_t next() {
        std::uint32_t number[1];
        next(number);
        return number[0];
    }
    template <int N>
    PSFLIP_HD void next(std::uint32_t (&number)[N]) {
        static_assert(N <= 24);  // a sum needs the 24 numbers before it
        std::uint32_t sum[N];
        PSFLIP_UNROLL
        for (int j = 0; j < N; ++j) {
            sum[j] = wheel_[before(24 - j)] + wheel_[before(55 - j)];
            number[j] = sum[j] ^ wheel_[before(61 - j)];
        }
        PSFLIP_UNROLL
        for (int j = 0; j < N; ++j) wheel_[before(-j)] = sum[j];
        at_ = before(-N);
    }
    PSFLIP_HD void store(StreamWords) const {}

  private:
    PSFLIP_HD int before(int lag) const {
        const int place = at_ - lag;
        return place < 0 ? place + words : place >= words ? place - words : place;
    }

    StreamWords wheel_;
    int at_;  ///< index of w_i
};

}  // namespace psflip
