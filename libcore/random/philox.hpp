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

/// Makes one round of Philox4x32 with the round's key.
PSFLIP_HD void make_philox_round(Counter& c, std::uint32_t low, std::uint32_t high) {
    const std::uint64_t p0 = wide_product(philox_m0, c.site);
    const std::uint64_t p1 = wide_product(philox_m1, c.fields);
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c.sweep_low ^ low, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c.pack_purpose ^ high, static_cast<std::uint32_t>(p0)};
}

/// Returns the block of Philox4x32 as in Random123, a pure function of the counter and the 64-bit key. `seed`
/// is this key, low word first. See Model::random_key for the key of a study. Only benchmarks use another
/// number of rounds than 10.
template <int Rounds = philox_rounds>
PSFLIP_HD RandomBlock philox(Counter counter, std::uint64_t seed) {
    std::uint32_t low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < Rounds; ++round, low += philox_w0, high += philox_w1)
        make_philox_round(counter, low, high);
    return {{counter.site, counter.sweep_low, counter.fields, counter.pack_purpose}};
}

/// Holds the keys of all rounds. A kernel that has them among its arguments needs no additions for them.
struct PhiloxRounds {
    std::uint32_t low[philox_rounds] = {}, high[philox_rounds] = {};

    PhiloxRounds() = default;
    PSFLIP_HD explicit PhiloxRounds(std::uint64_t seed) {
        for (unsigned round = 0; round < philox_rounds; ++round) {
            low[round] = static_cast<std::uint32_t>(seed) + round * philox_w0;
            high[round] = static_cast<std::uint32_t>(seed >> 32) + round * philox_w1;
        }
    }
    /// Returns philox of the seed.
    PSFLIP_HD RandomBlock block(Counter counter) const {
        for (int round = 0; round < philox_rounds; ++round)
            make_philox_round(counter, low[round], high[round]);
        return {{counter.site, counter.sweep_low, counter.fields, counter.pack_purpose}};
    }
};

}  // namespace psflip
