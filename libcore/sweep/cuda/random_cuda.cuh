// Draws random numbers of sites in kernels (random/purposes.hpp), and compares them with thresholds.
#pragma once

#include <type_traits>

#include "random/philox.hpp"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/site_rule.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// Holds what determines the random numbers of a site.
struct SiteDraw {
    std::uint32_t site, replica;      ///< site: number in the standard order
    std::uint32_t first_realization;  ///< number of the realization of lane 0 in the study
    std::uint64_t sweep, seed;
};

/// Draws the random numbers of one site for a slot quad: one Philox call for each share group. A column has
/// 1, 2 or 4 share groups.
template <int Share>
struct QuadRandom {
    static constexpr int share_groups = 128 / Share;
    std::uint32_t word[share_groups][4];

    __device__ __forceinline__ void draw(const SiteDraw& d, std::uint32_t quad) {
#pragma unroll
        for (int p = 0; p < share_groups; ++p) {
            const std::uint32_t group = d.first_realization / Share + p;
            const RandomBlock block =
                philox(make_counter(Purpose::metropolis, d.site, d.sweep, quad, d.replica, 0, group), d.seed);
#pragma unroll
            for (int k = 0; k < 4; ++k) word[p][k] = block.word[k];
        }
    }
};

/// Returns f(std::integral_constant<int, share>{}) for share 32, 64 or 128.
template <class F>
auto with_share(int share, const F& f) {
    if (share == 32) return f(std::integral_constant<int, 32>{});
    if (share == 64) return f(std::integral_constant<int, 64>{});
    return f(std::integral_constant<int, 128>{});
}

/// Subtracts 1 from n if r is below the threshold: the borrow of r - threshold. These subtractions use the
/// multiply-add pipe, so the logic pipe remains free for the site rule.
__device__ __forceinline__ void subtract_below(std::uint32_t& n, std::uint32_t r, std::uint32_t threshold) {
    asm("{\n\t"
        ".reg .u32 unused;\n\t"
        "sub.cc.u32 unused, %1, %2;\n\t"
        "subc.u32 %0, %0, 0;\n\t"
        "}"
        : "+r"(n)
        : "r"(r), "r"(threshold));
}

/// Adds 1 to n if r is below the threshold, for the complement ~r: the carry of ~r + threshold. The
/// multiply-add pipe adds the carry.
__device__ __forceinline__ void add_below(std::uint32_t& n, std::uint32_t complement,
                                          std::uint32_t threshold) {
    asm("{\n\t"
        ".reg .u32 unused;\n\t"
        "add.cc.u32 unused, %1, %2;\n\t"
        "madc.lo.u32 %0, %0, 1, 0;\n\t"
        "}"
        : "+r"(n)
        : "r"(complement), "r"(threshold));
}

/// Returns the Metropolis acceptance of random number r at one temperature. A mask is all ones (0 - 1) if r
/// is below the threshold.
__device__ __forceinline__ Acceptance<DeviceWord> acceptance_of(const Thresholds& c, std::uint32_t r) {
    Acceptance<DeviceWord> accept{{0}, {0}, {0}};
    subtract_below(accept.c4.bits, r, c.c4);
    subtract_below(accept.c8.bits, r, c.c8);
    subtract_below(accept.c12.bits, r, c.c12);
    return accept;
}

}  // namespace psflip
