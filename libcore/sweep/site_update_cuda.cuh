#pragma once

#include "random/philox.hpp"
#include "sweep/device_word_cuda.cuh"
#include "sweep/kernels_cuda.cuh"
#include "sweep/threshold_rule.hpp"

namespace psflip {

/// Where the random numbers of a site stand.
struct SiteDraw {
    std::uint32_t site, replica,
        first_realization;  ///< standard site; replica; realization of the column's lane 0
    std::uint64_t sweep, seed;
};

/// The random numbers of one site for four neighbouring slots: one Philox call per pack (1, 2 or 4 packs in a
/// column). Share 1 draws its own numbers and has no words here.
template <int Share>
struct QuadRandom {
    static constexpr int packs = Share == 1 ? 1 : 128 / Share;
    std::uint32_t word[packs][4];

    __device__ __forceinline__ void draw(const SiteDraw& d, std::uint32_t quad) {
        if constexpr (Share > 1) {
#pragma unroll
            for (int p = 0; p < packs; ++p) {
                const std::uint32_t pack = d.first_realization / Share + p;
                const RandomBlock block = philox(
                    make_counter(Purpose::metropolis, d.site, d.sweep, quad, d.replica, 0, pack), d.seed);
#pragma unroll
                for (int k = 0; k < 4; ++k) word[p][k] = block.word[k];
            }
        }
    }
};

/// All ones where r < threshold.
__device__ __forceinline__ DeviceWord mask_below(std::uint32_t r, std::uint32_t threshold) {
    return {r < threshold ? ~0u : 0u};
}

/// Share 1: flip mask of 32 lanes, each with its own 32-bit number R, drawn digit by digit as bit planes
/// (most significant first; 4 planes per Philox call) until every lane is decided. Only the threshold that
/// belongs to the lane's number of unsatisfied bonds counts: plane k of the threshold is put together from
/// the bits of c4, c8, c12. Equal to comparing the full numbers. About 11 planes until the 1024 lanes of a
/// warp are decided; 7 logic operations per plane, 5 of Philox.
__device__ __forceinline__ std::uint32_t flips_independent(const BondCount<DeviceWord>& u,
                                                           const Thresholds& c, const SiteDraw& d,
                                                           std::uint32_t slot, std::uint32_t pack) {
    const std::uint32_t is2 = u.twos.bits & ~u.ones.bits, is1 = u.ones.bits & ~u.twos.bits;
    std::uint32_t undecided = ~(u.fours.bits | (u.ones.bits & u.twos.bits));
    std::uint32_t flips = ~undecided;
#pragma unroll 1
    for (std::uint32_t digit = 0; digit < 8 && undecided != 0; ++digit) {
        const RandomBlock block = philox(
            make_counter(Purpose::metropolis_bits, d.site, d.sweep, slot, d.replica, digit, pack), d.seed);
#pragma unroll
        for (std::uint32_t k = 0; k < 4; ++k) {
            const std::uint32_t shift = 31 - (4 * digit + k);
            const std::uint32_t m4 = 0u - (c.c4 >> shift & 1u), m8 = 0u - (c.c8 >> shift & 1u),
                                m12 = 0u - (c.c12 >> shift & 1u);
            const std::uint32_t bit = (is2 & m4) | (is1 & m8) | (~(is2 | is1) & m12);
            const std::uint32_t differ = undecided & (block.word[k] ^ bit);
            flips |= differ & bit;
            undecided &= ~differ;
        }
    }
    return flips;
}

/// Spins of a row of lattices in shared memory, addressed with 32 bits so that a neighbour costs one
/// multiply-add.
struct SharedLattices {
    std::uint32_t address;  ///< of the first lattice, in the shared window

    /// All threads of a warp must call. The shuffle keeps the address in a register: the compiler would
    /// compute it anew, slowly, before every access.
    __device__ __forceinline__ static SharedLattices at(const void* p) {
        return {__shfl_sync(~0u, static_cast<std::uint32_t>(__cvta_generic_to_shared(p)), 0)};
    }
    __device__ __forceinline__ SharedLattices lattice(std::uint32_t k, std::uint32_t sites) const {
        return {address + k * sites * 16};
    }
    __device__ __forceinline__ uint4 load(std::uint32_t i) const {
        uint4 v;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(address + i * 16)
                     : "memory");
        return v;
    }
    __device__ __forceinline__ void store(std::uint32_t i, const uint4& v) const {
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address + i * 16), "r"(v.x), "r"(v.y),
                     "r"(v.z), "r"(v.w)
                     : "memory");
    }
};

/// The same in device memory.
struct GlobalLattices {
    uint4* spins;

    __device__ __forceinline__ GlobalLattices lattice(std::uint32_t k, std::uint32_t sites) const {
        return {spins + static_cast<std::size_t>(k) * sites};
    }
    __device__ __forceinline__ uint4 load(std::uint32_t i) const { return spins[i]; }
    __device__ __forceinline__ void store(std::uint32_t i, const uint4& v) const { spins[i] = v; }
};

/// A site's spin words of one slot and those around it.
struct SiteWords {
    uint4 own, near[6];

    template <class Lattices>
    __device__ __forceinline__ void load(const Lattices& lattice, const Neighbours& n) {
#pragma unroll
        for (int k = 0; k < 6; ++k) near[k] = lattice.load(n.site[k]);
        own = lattice.load(n.own);
    }
};

/// The updated spins of one site and slot: 15 logic operations per 32-bit word and 8 per pack for the
/// acceptance.
template <int Share>
__device__ __forceinline__ uint4 updated_site(const SiteWords& spins, const uint4 (&bond)[6],
                                              const QuadRandom<Share>& random, int k, const Thresholds& c,
                                              const SiteDraw& d, std::uint32_t slot) {
    uint4 result;
    CountOffset<DeviceWord> offset;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        const DeviceWord s = word_of(spins.own, w);
        DeviceWord near[6], bonds[6];
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            near[i] = word_of(spins.near[i], w);
            bonds[i] = word_of(bond[i], w);
        }
        if constexpr (Share == 1) {
            DeviceWord e[6];
#pragma unroll
            for (int i = 0; i < 6; ++i) e[i] = xor3(s, near[i], bonds[i]);
            const BondCount<DeviceWord> u = count_unsatisfied(e[0], e[1], e[2], e[3], e[4], e[5]);
            word_ref(result, w) = s.bits ^ flips_independent(u, c, d, slot, d.first_realization / 32 + w);
        } else {
            if (w * 32 % Share == 0) {
                const std::uint32_t r = random.word[w * 32 / Share][k];
                offset = count_offset(
                    Acceptance<DeviceWord>{mask_below(r, c.c4), mask_below(r, c.c8), mask_below(r, c.c12)});
            }
            word_ref(result, w) = updated_spin(s, near, bonds, offset).bits;
        }
    }
    return result;
}

#ifndef PSFLIP_READ_AHEAD
#define PSFLIP_READ_AHEAD 1
#endif
constexpr bool read_ahead = PSFLIP_READ_AHEAD;

/// Updates one site in the slots [first_slot, end_slot); `lattices` starts with that of first_slot. Aligned
/// fours of slots share the Philox calls. The spins of the next slot are read before those of a slot are
/// computed and stored: lattices do not overlap, which the compiler cannot know. Slots alternate between two
/// register sets by parity, so that all indices are constants.
template <int Share, class Lattices>
__device__ __forceinline__ void update_slots(const SweepArgs& a, const Lattices& lattices,
                                             std::uint32_t first_slot, std::uint32_t end_slot,
                                             const Neighbours& n, const uint4 (&bond)[6], const SiteDraw& d) {
    const std::uint32_t sites = a.geometry.sites;
    SiteWords spins[2];
    if (!read_ahead) {
    } else if (first_slot % 2 == 0)
        spins[0].load(lattices, n);
    else
        spins[1].load(lattices, n);
#pragma unroll 1
    for (std::uint32_t quad = first_slot / 4; quad * 4 < end_slot; ++quad) {
        QuadRandom<Share> random;
        random.draw(d, quad);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const std::uint32_t slot = quad * 4 + k;
            if (slot < first_slot || slot >= end_slot) continue;
            if (slot + 1 < end_slot)
                spins[(k + 1) % 2].load(lattices.lattice(slot + 1 - first_slot, sites), n);
            lattices.lattice(slot - first_slot, sites)
                .store(n.own,
                       updated_site<Share>(spins[k % 2], bond, random, k, a.thresholds[slot], d, slot));
        }
    }
}

}  // namespace psflip
