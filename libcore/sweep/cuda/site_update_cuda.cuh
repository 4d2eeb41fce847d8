// Updates one site in 128 realizations by the plain rule in three dimensions, at one or several temperatures.
#pragma once

#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/cuda/random_cuda.cuh"

namespace psflip {

/// Returns the updated spins of one site in slot `slot`, the k-th slot of a quad. A 32-bit word takes 15
/// logic operations, or 14 if bonds 2 and 5 are gauged to +1. A share group takes three operations for the
/// acceptance.
template <int Share, bool Gauged = false>
__device__ __forceinline__ uint4 updated_site(const SweepArgs& a, const SiteWords& spins,
                                              const uint4 (&bond)[6], const QuadRandom<Share>& random, int k,
                                              std::uint32_t slot) {
    uint4 result;
    Acceptance<DeviceWord> accept;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        DeviceWord near[6], bonds[6];
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            near[i] = word_of(spins.near[i], w);
            bonds[i] = word_of(bond[i], w);
        }
        if (w * 32 % Share == 0) accept = acceptance_of(a.thresholds[slot], random.word[w * 32 / Share][k]);
        const DeviceWord own = word_of(spins.own, w);
        word_ref(result, w) =
            (Gauged ? updated_spin_gauged(own, near, bonds, accept) : updated_spin(own, near, bonds, accept))
                .bits;
    }
    return result;
}

/// Updates the k-th slot of a quad.
template <int Share, class Lattices>
__device__ __forceinline__ void update_slot(const SweepArgs& a, const Lattices& lattices,
                                            const SiteAddresses<Lattices>& at, const uint4 (&bond)[6],
                                            const QuadRandom<Share>& random, int k, std::uint32_t slot) {
    SiteWords spins;
    spins.load(lattices, at, k);
    lattices.store(at.own, k, updated_site<Share>(a, spins, bond, random, k, slot));
}

/// Updates one site in the slots [first_slot, end_slot). `at` is the site in the quad of the first slot. The
/// slots of a quad share Philox calls. In quads that lie wholly in this range, slots are not checked.
template <int Share, class Lattices>
__device__ __forceinline__ void update_slots(const SweepArgs& a, const Lattices& lattices,
                                             std::uint32_t first_slot, std::uint32_t end_slot,
                                             SiteAddresses<Lattices> at, const uint4 (&bond)[6],
                                             const SiteDraw& d) {
#pragma unroll 1
    for (std::uint32_t quad = first_slot / 4; quad * 4 < end_slot; ++quad) {
        QuadRandom<Share> random;
        random.draw(d, quad);
        if (quad * 4 >= first_slot && quad * 4 + 4 <= end_slot) {
#pragma unroll
            for (int k = 0; k < 4; ++k) update_slot<Share>(a, lattices, at, bond, random, k, quad * 4 + k);
        } else {
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if (quad * 4 + k >= first_slot && quad * 4 + k < end_slot)
                    update_slot<Share>(a, lattices, at, bond, random, k, quad * 4 + k);
        }
        at.next_quad(lattices);
    }
}

/// Updates one site, with neighbours n, in the slots [first_slot, end_slot). The first slot is the first slot
/// of `lattices`.
template <int Share, class Lattices>
__device__ __forceinline__ void update_slots(const SweepArgs& a, const Lattices& lattices,
                                             std::uint32_t first_slot, std::uint32_t end_slot,
                                             const Neighbours& n, const uint4 (&bond)[6], const SiteDraw& d) {
    update_slots<Share>(a, lattices, first_slot, end_slot,
                        SiteAddresses<Lattices>(lattices, n, -static_cast<std::int32_t>(first_slot % 4)),
                        bond, d);
}

}  // namespace psflip
