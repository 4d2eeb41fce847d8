#pragma once

#include "random/generators/streams.hpp"
#include "random/splitmix64.hpp"

namespace psflip {

/// w_i = w_{i-24} + w_{i-55} modulo 2^32, the number is w_i ^ w_{i-61} (Parisi and Rapuano,
/// doi:10.1016/0370-2693(85)90670-7): the sum is stored, the exclusive or given out. The wheel is one of 62
/// words, all of them in memory.
class ParisiRapuano {
  public:
    static constexpr const char* name = "Parisi-Rapuano";
    static constexpr int words = 62;
    static constexpr int accesses = 4;
    static constexpr std::uint64_t range = std::uint64_t{1} << 32;

    /// The wheel is filled with upper halves of splitmix64, the oldest first. (Filled by LCG32, all streams
    /// together would have 2^k sequences of the lowest k bits, as sums and exclusive ors do not mix bits
    /// downwards.)
    static void seed(StreamWords words, std::uint64_t seed) {
        for (int j = 0; j < ParisiRapuano::words; ++j)
            words[j] = static_cast<std::uint32_t>(splitmix64(seed + static_cast<std::uint64_t>(j)) >> 32);
    }
    PSFLIP_HD ParisiRapuano(StreamWords words, std::uint64_t drawn)
        : wheel_(words), at_(static_cast<int>(drawn % ParisiRapuano::words)) {}
    PSFLIP_HD std::uint32_t next() {
        const std::uint32_t sum = wheel_[before(24)] + wheel_[before(55)];
        const std::uint32_t number = sum ^ wheel_[before(61)];
        wheel_[at_] = sum;
        at_ = at_ + 1 == words ? 0 : at_ + 1;
        return number;
    }
    PSFLIP_HD void store(StreamWords) const {}

  private:
    PSFLIP_HD int before(int lag) const { return at_ >= lag ? at_ - lag : at_ - lag + words; }

    StreamWords wheel_;
    int at_;  ///< of w_i
};

}  // namespace psflip
