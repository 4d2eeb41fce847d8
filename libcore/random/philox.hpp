#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "random/purposes.hpp"

namespace psflip {

/// Four random words of one Philox call.
struct RandomBlock {
    std::uint32_t word[4];
};

/// Multipliers and key increments of Philox4x32 (Salmon, Moraes, Dror, Shaw, SC11,
/// doi:10.1145/2063384.2063405).
inline constexpr std::uint32_t philox_m0 = 0xD2511F53u, philox_m1 = 0xCD9E8D57u;
inline constexpr std::uint32_t philox_w0 = 0x9E3779B9u, philox_w1 = 0xBB67AE85u;
inline constexpr int philox_rounds = 10;

/// The 64-bit product. On the device in one instruction: written plainly, the compiler adds zeros to the high
/// word.
PSFLIP_HD std::uint64_t wide_product(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
    std::uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return static_cast<std::uint64_t>(a) * b;
#endif
}

/// What the first two rounds make of words 0 and 3 of a counter (site, pack) and of words 1 and 2 (sweep,
/// slots, replica) alone: two multiplications each, so that numbers which share one of the halves need it
/// once.
struct PhiloxSite {
    std::uint32_t c0, c1, c2;
};
struct PhiloxFields {
    std::uint32_t c0, c2, c3;
};
PSFLIP_HD PhiloxSite philox_site(std::uint32_t site, std::uint32_t pack_purpose, std::uint64_t seed) {
    const std::uint64_t p0 = wide_product(philox_m0, site);
    const std::uint64_t p1 = wide_product(philox_m1, static_cast<std::uint32_t>(p0 >> 32) ^ pack_purpose ^
                                                         static_cast<std::uint32_t>(seed >> 32));
    return {static_cast<std::uint32_t>(p1 >> 32), static_cast<std::uint32_t>(p1),
            static_cast<std::uint32_t>(p0)};
}
PSFLIP_HD PhiloxFields philox_fields(std::uint32_t sweep_low, std::uint32_t fields, std::uint64_t seed) {
    const auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    const std::uint64_t p1 = wide_product(philox_m1, fields);
    const std::uint64_t p0 = wide_product(philox_m0, static_cast<std::uint32_t>(p1 >> 32) ^ sweep_low ^ k0);
    return {static_cast<std::uint32_t>(p1) ^ (k0 + philox_w0),
            static_cast<std::uint32_t>(p0 >> 32) ^ (k1 + philox_w1), static_cast<std::uint32_t>(p0)};
}

/// The rounds that are left.
PSFLIP_HD RandomBlock philox(const PhiloxSite& site, const PhiloxFields& fields, std::uint64_t seed) {
    std::uint32_t c0 = site.c0 ^ fields.c0, c1 = site.c1, c2 = site.c2 ^ fields.c2, c3 = fields.c3;
    std::uint32_t k0 = static_cast<std::uint32_t>(seed) + 2 * philox_w0,
                  k1 = static_cast<std::uint32_t>(seed >> 32) + 2 * philox_w1;
    for (int round = 2; round < philox_rounds; ++round) {
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

/// Philox4x32-10 as in Random123: a pure function of the counter and the 64-bit seed (the key: low word
/// first).
PSFLIP_HD RandomBlock philox(const Counter& c, std::uint64_t seed) {
    return philox(philox_site(c.site, c.pack_purpose, seed), philox_fields(c.sweep_low, c.fields, seed),
                  seed);
}

}  // namespace psflip
