#pragma once

#include "sweep/random_cuda.cuh"

namespace psflip {

/// Share 1: each of 32 lanes compares a 32-bit number R of its own, drawn as bit planes (most significant
/// first, four per Philox call), with the threshold that belongs to its number of unsatisfied bonds, until
/// every lane is decided. Equal to comparing the full numbers.
struct LaneComparison {
    std::uint32_t ones, twos;        ///< planes of the count u: c4 where u = 2, c8 where 1, c12 where 0
    std::uint32_t below, undecided;  ///< flips; lanes whose planes so far equal those of the threshold
    std::uint32_t less = 0, equal;   ///< of the planes compared since `begin`

    __device__ __forceinline__ void start(const BondCount<DeviceWord>& u) {
        ones = u.ones.bits, twos = u.twos.bits;
        below = u.fours.bits | (ones & twos);  // these flip whatever R is
        undecided = ~below;
        begin();
    }
    __device__ __forceinline__ void begin() { less = 0, equal = undecided; }
    __device__ __forceinline__ void end() {
        below |= undecided & less;
        undecided = equal;
    }

    /// The four planes of a digit; the bits of c that belong to them are the highest four. From the least
    /// significant on, digits also: less = R bit and c bit differ ? c bit : less.
    __device__ __forceinline__ void compare(const RandomBlock& r, const Thresholds& c) {
#pragma unroll
        for (int k = 3; k >= 0; --k) {
            const std::uint32_t m4 = plane(c.c4, k), m8 = plane(c.c8, k), m12 = plane(c.c12, k);
            const std::uint32_t by_ones = (ones & m8) | (~ones & m12), bit = (twos & m4) | (~twos & by_ones);
            less = (~r.word[k] & bit) | (~(r.word[k] ^ bit) & less);
            equal &= ~(r.word[k] ^ bit);
        }
    }

  private:
    __device__ __forceinline__ static std::uint32_t plane(std::uint32_t c, int k) {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(c << k) >> 31);
    }
};

/// Flip masks of the four words of a site in one slot: `digits_together` digits of all words side by side,
/// after which few lanes of a warp are undecided, then the words that need more one by one.
struct IndependentFlips {
    static constexpr std::uint32_t digits = 8, digits_together = 3;
    LaneComparison word[4];

    __device__ __forceinline__ void decide(const Thresholds& c, const SiteDraw& d, std::uint32_t slot) {
        const std::uint32_t pack = d.first_realization / 32;
#pragma unroll
        for (std::uint32_t i = 0; i < digits_together; ++i) {
            const std::uint32_t digit = digits_together - 1 - i;
#pragma unroll
            for (std::uint32_t w = 0; w < 4; ++w)
                word[w].compare(planes_of(d, slot, pack + w, digit), shifted(c, digit));
        }
#pragma unroll
        for (std::uint32_t w = 0; w < 4; ++w) word[w].end();
        while ((word[0].undecided | word[1].undecided | word[2].undecided | word[3].undecided) != 0) {
            const std::uint32_t w = word[0].undecided ? 0 : word[1].undecided ? 1 : word[2].undecided ? 2 : 3;
            LaneComparison one = w == 0 ? word[0] : w == 1 ? word[1] : w == 2 ? word[2] : word[3];
#pragma unroll 1
            for (std::uint32_t digit = digits_together; digit < digits && one.undecided != 0; ++digit) {
                one.begin();
                one.compare(planes_of(d, slot, pack + w, digit), shifted(c, digit));
                one.end();
            }
#pragma unroll
            for (std::uint32_t k = 0; k < 4; ++k) {
                word[k].below = k == w ? one.below : word[k].below;
                word[k].undecided = k == w ? 0 : word[k].undecided;
            }
        }
    }

  private:
    __device__ __forceinline__ static Thresholds shifted(const Thresholds& c, std::uint32_t digit) {
        return {c.c4 << 4 * digit, c.c8 << 4 * digit, c.c12 << 4 * digit};
    }
    __device__ __forceinline__ static RandomBlock planes_of(const SiteDraw& d, std::uint32_t slot,
                                                            std::uint32_t pack, std::uint32_t digit) {
        return philox(make_counter(Purpose::metropolis_bits, d.site, d.sweep, slot, d.replica, digit, pack),
                      d.seed);
    }
};

}  // namespace psflip
