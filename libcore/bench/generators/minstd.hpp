#pragma once

#include "bench/generators/streams.hpp"

namespace psflip {

/// Implements the minimal standard of Park and Miller (doi:10.1145/63039.63042): R <- 16807 R mod (2^31 - 1),
/// with R from 1 to 2^31 - 2. The remainder is computed without division (Carta, doi:10.1145/76372.76379).
/// With seed 1, the 10000th number is 1043618065.
class Minstd {
  public:
    static constexpr const char* name = "MINSTD";
    static constexpr int words = 1;
    static constexpr int accesses = 0;
    static constexpr std::uint64_t range = (std::uint64_t{1} << 31) - 1;

    static void seed(StreamWords words, std::uint64_t seed) {
        words[0] = static_cast<std::uint32_t>(seed % (range - 1)) + 1;
    }
    PSFLIP_HD Minstd(StreamWords words, std::uint64_t) : R_(words[0]) {}
    PSFLIP_HD std::uint32_t next() {
        std::uint32_t low = 16807u * (R_ & 0xffffu);
        const std::uint32_t high = 16807u * (R_ >> 16);
        low += (high & 0x7fffu) << 16;
        low += high >> 15;
        return R_ = (low & 0x7fffffffu) + (low >> 31);
    }
    PSFLIP_HD void store(StreamWords words) const { words[0] = R_; }

  private:
    std::uint32_t R_;
};

}  // namespace psflip
