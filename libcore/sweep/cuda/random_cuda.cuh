#pragma once

#include "random/philox.hpp"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/site_rule.hpp"
#include "word/device_word_cuda.cuh"

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

/// The Metropolis offset (CountOffset) of random number r at one temperature. With b4, b8, b12 = 1 where r is
/// below a threshold, as numbers: m2 = -b12, m1 = b12 - b4, m0 = -1 + b4 - b8 + b12. Three subtractions set
/// borrows; what uses these has one operand beside them, so that the multiply-add pipe takes it and leaves
/// the logic pipe to the site rule.
__device__ __forceinline__ CountOffset<DeviceWord> offset_of(const Thresholds& c, std::uint32_t r) {
    CountOffset<DeviceWord> m;
    asm("{\n\t"
        ".reg .u32 unused, rest;\n\t"
        "sub.cc.u32 unused, %3, %6;\n\t"
        "subc.u32 %2, 0, 0;\n\t"
        "sub.cc.u32 unused, %3, %4;\n\t"
        "subc.u32 %1, 0, %2;\n\t"
        "subc.u32 rest, %2, 0xffffffff;\n\t"
        "sub.cc.u32 unused, %3, %5;\n\t"
        "subc.u32 %0, 0, rest;\n\t"
        "}"
        : "=r"(m.m0.bits), "=&r"(m.m1.bits), "=&r"(m.m2.bits)
        : "r"(r), "r"(c.c4), "r"(c.c8), "r"(c.c12));
    return m;
}

}  // namespace psflip
