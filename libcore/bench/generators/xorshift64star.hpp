#pragma once

#include "bench/generators/streams.hpp"

namespace psflip {

/// Implements Marsaglia's 64-bit xorshift (12, 25, 27) with a final multiplication. Numbers are the upper
/// half of the product (Vigna, doi:10.1145/2845077). State 1 gives 5180492295206395165 as first product.
class Xorshift64Star {
  public:
    static constexpr const char* name = "xorshift64*";
    static constexpr int words = 2;
    static constexpr int accesses = 0;
    static constexpr std::uint64_t range = std::uint64_t{1} << 32;

    static void seed(StreamWords words, std::uint64_t seed) {
        const std::uint64_t x = seed == 0 ? 1 : seed;  // 0 is a fixed point
        words[0] = static_cast<std::uint32_t>(x);
        words[1] = static_cast<std::uint32_t>(x >> 32);
    }
    PSFLIP_HD Xorshift64Star(StreamWords words, std::uint64_t)
        : x_(words[0] | static_cast<std::uint64_t>(words[1]) << 32) {}
    PSFLIP_HD std::uint64_t product() {
        x_ ^= x_ >> 12;
        x_ ^= x_ << 25;
        x_ ^= x_ >> 27;
        return x_ * 2685821657736338717u;
    }
    PSFLIP_HD std::uint32_t next() { return static_cast<std::uint32_t>(product() >> 32); }
    PSFLIP_HD void store(StreamWords words) const {
        words[0] = static_cast<std::uint32_t>(x_);
        words[1] = static_cast<std::uint32_t>(x_ >> 32);
    }

  private:
    std::uint64_t x_;
};

}  // namespace psflip
