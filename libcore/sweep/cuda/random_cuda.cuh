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

/// The rounds that random numbers of four slots have in common with those of other sites.
__device__ __forceinline__ PhiloxFields quad_fields(std::uint64_t sweep, std::uint32_t quad,
                                                    std::uint32_t replica, std::uint64_t seed) {
    const Counter c = make_counter(Purpose::metropolis, 0, sweep, quad, replica, 0, 0);
    return philox_fields(c.sweep_low, c.fields, seed);
}
struct QuadFields {
    SiteDraw d;
    __device__ __forceinline__ PhiloxFields operator()(std::uint32_t quad) const {
        return quad_fields(d.sweep, quad, d.replica, d.seed);
    }
};

/// Likewise, of all fours of a replica in this sweep and the next, in shared memory.
struct SharedFields {
    uint4 quad[2][max_temperatures / 4];

    /// By all threads; a barrier follows before they are used, and one came since those of two sweeps before
    /// were.
    __device__ __forceinline__ void set(std::uint64_t sweep, std::uint32_t replica, std::uint64_t seed) {
        if (threadIdx.x >= max_temperatures / 4) return;
        const PhiloxFields f = quad_fields(sweep, threadIdx.x, replica, seed);
        quad[sweep % 2][threadIdx.x] = {f.c0, f.c2, f.c3, 0};
    }
    struct OfSweep {
        const uint4* quads;
        __device__ __forceinline__ PhiloxFields operator()(std::uint32_t quad) const {
            const uint4 f = quads[quad];
            return {f.x, f.y, f.z};
        }
    };
    __device__ __forceinline__ OfSweep of(std::uint64_t sweep) const { return {quad[sweep % 2]}; }
};

/// The rounds that a site's random numbers have in common, per pack (1, 2 or 4 packs in a column).
template <int Share>
struct SiteRandom {
    static constexpr int packs = 128 / Share;
    PhiloxSite pack[packs];

    __device__ __forceinline__ explicit SiteRandom(const SiteDraw& d) {
#pragma unroll
        for (int p = 0; p < packs; ++p) {
            const Counter c =
                make_counter(Purpose::metropolis, d.site, 0, 0, 0, 0, d.first_realization / Share + p);
            pack[p] = philox_site(c.site, c.pack_purpose, d.seed);
        }
    }
};

/// The random numbers of one site for four neighbouring slots: one Philox call per pack.
template <int Share>
struct QuadRandom {
    static constexpr int packs = SiteRandom<Share>::packs;
    std::uint32_t word[packs][4];

    __device__ __forceinline__ void draw(const SiteRandom<Share>& site, const PhiloxFields& quad,
                                         std::uint64_t seed) {
#pragma unroll
        for (int p = 0; p < packs; ++p) {
            const RandomBlock block = philox(site.pack[p], quad, seed);
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
