#pragma once

// Computes the counter-based generator Philox4x32-10 on host and device (Salmon, Moraes, Dror, Shaw, SC11,
// doi:10.1145/2063384.2063405).

#include <cstdint>

#include "base/host_device.hpp"
#include "random/purposes.hpp"

namespace psflip {

/// Holds the four random words of one Philox call.
struct RandomBlock {
    std::uint32_t word[4];
};

/// The multipliers and key increments of Philox4x32.
inline constexpr std::uint32_t philox_m0 = 0xD2511F53u, philox_m1 = 0xCD9E8D57u;
inline constexpr std::uint32_t philox_w0 = 0x9E3779B9u, philox_w1 = 0xBB67AE85u;
inline constexpr int philox_rounds = 10;

/// Returns the 64-bit product. On the device this is one instruction; for a plain product the compiler would
/// add zeros to the high word.
PSFLIP_HD std::uint64_t wide_product(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
    std::uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return static_cast<std::uint64_t>(a) * b;
#endif
}

/// Returns the block of Philox4x32 as in Random123, a pure function of the counter and the 64-bit key. `seed`
/// is this key, low word first. See Model::random_key for the key of a study. Only benchmarks use another
/// number of rounds than 10.
template <int Rounds = philox_rounds>
PSFLIP_HD RandomBlock philox(Counter counter, std::uint64_t seed) {
    std::uint32_t c0 = counter.site, c1 = counter.sweep_low, c2 = counter.fields, c3 = counter.pack_purpose;
    std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < Rounds; ++round) {
        const std::uint64_t p0 = wide_product(philox_m0, c0);
        const std::uint64_t p1 = wide_product(philox_m1, c2);
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c1 = static_cast<std::uint32_t>(p1);
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c3 = static_cast<std::uint32_t>(p0);
        k0 += philox_w0;
        k1 += philox_w1;
    }
    return {{c0, c1, c2, c3}};
}

}  // namespace psflip
