#pragma once

#include "bench/generators/streams.hpp"
#include "random/splitmix64.hpp"

namespace psflip {

/// Implements Marsaglia's xorwow (doi:10.18637/jss.v008.i14), the recurrence of cuRAND's XORWOW: a xorshift
/// of five words plus a Weyl sequence. With his first words, the first number is 246875399.
class Xorwow {
  public:
    static constexpr const char* name = "XORWOW";
    static constexpr int words = 6;  ///< five words of the xorshift, then the Weyl sequence
    static constexpr int accesses = 0;
    static constexpr std::uint64_t range = std::uint64_t{1} << 32;

    static void seed(StreamWords words, std::uint64_t seed) {
        for (std::uint64_t j = 0; j < 6; ++j)
            words[j] = static_cast<std::uint32_t>(splitmix64(seed + j) >> 32);
        words[0] |= 1;  // five zeros are a fixed point
    }
    PSFLIP_HD Xorwow(StreamWords words, std::uint64_t) : weyl_(words[5]) {
        PSFLIP_UNROLL
        for (std::size_t j = 0; j < 5; ++j) x_[j] = words[j];
    }
    PSFLIP_HD std::uint32_t next() {
        const std::uint32_t t = x_[0] ^ (x_[0] >> 2);
        PSFLIP_UNROLL
        for (int j = 0; j < 4; ++j) x_[j] = x_[j + 1];
        x_[4] ^= (x_[4] << 4) ^ t ^ (t << 1);
        return x_[4] + (weyl_ += 362437);
    }
    PSFLIP_HD void store(StreamWords words) const {
        PSFLIP_UNROLL
        for (std::size_t j = 0; j < 5; ++j) words[j] = x_[j];
        words[5] = weyl_;
    }

  private:
    std::uint32_t x_[5], weyl_;
};

}  // namespace psflip
