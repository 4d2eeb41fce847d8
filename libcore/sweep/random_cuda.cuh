#pragma once

#include "random/philox.hpp"
#include "sweep/device_word_cuda.cuh"
#include "sweep/kernels_cuda.cuh"
#include "sweep/site_rule.hpp"

namespace psflip {

/// Where the random numbers of a site stand.
struct SiteDraw {
    std::uint32_t site, replica,
        first_realization;  ///< standard site; replica; realization of the column's lane 0
    std::uint64_t sweep, seed;
};

/// The random numbers of one site for four neighbouring slots: one Philox call per pack (1, 2 or 4 packs in a
/// column).
template <int Share>
struct QuadRandom {
    static constexpr int packs = 128 / Share;
    std::uint32_t word[packs][4];

    __device__ __forceinline__ void draw(const SiteDraw& d, std::uint32_t quad) {
#pragma unroll
        for (int p = 0; p < packs; ++p) {
            const std::uint32_t pack = d.first_realization / Share + p;
            const RandomBlock block =
                philox(make_counter(Purpose::metropolis, d.site, d.sweep, quad, d.replica, 0, pack), d.seed);
#pragma unroll
            for (int k = 0; k < 4; ++k) word[p][k] = block.word[k];
        }
    }
};

/// All ones where r < c: the high word of r - c in 64 bits. A subtraction and an addition of its carry, which
/// the multiply-add pipe takes; a comparison and a selection would both need the logic pipe.
__device__ __forceinline__ DeviceWord mask_below(std::uint32_t r, std::uint32_t c) {
    return {static_cast<std::uint32_t>((std::uint64_t{r} - c) >> 32)};
}

/// The Metropolis offset of random number r at one temperature.
__device__ __forceinline__ CountOffset<DeviceWord> offset_of(const Thresholds& c, std::uint32_t r) {
    return count_offset(
        Acceptance<DeviceWord>{mask_below(r, c.c4), mask_below(r, c.c8), mask_below(r, c.c12)});
}

}  // namespace psflip
