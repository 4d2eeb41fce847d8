#pragma once

#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/cuda/site_update_cuda.cuh"

namespace psflip {

/// Holds byte offsets, which are added to the addresses of the word of a site and of the words of its
/// neighbours. They are equal in all threads of a warp. An access to shared memory takes the offset from a
/// uniform register, without an addition.
struct WarpOffsets {
    std::uint32_t own = 0, near = 0;

    /// Passes to the next slot quad. Without `kept` the compiler would increment seven addresses.
    __device__ __forceinline__ void next_quad() {
        own = kept(own + 4 * SharedLattices::slot_bytes);
        near = kept(near + 4 * SharedLattices::slot_bytes);
    }
};

/// Updates one site with its bonds in the gauge. If AtSeam, bond 5 may be -1.
template <int Share, bool AtSeam, class Lattices>
struct GaugedUpdate {
    const SweepArgs& a;
    const Lattices& lattices;
    const SiteAddresses<Lattices>& at;
    const uint4 (&bond)[6];
    WarpOffsets offset;
    QuadRandom<Share> random;

    /// Updates the slots [first_slot, end_slot). `at` is the site in the quad of the first slot.
    __device__ __forceinline__ void run(std::uint32_t first_slot, std::uint32_t end_slot, const SiteDraw& d) {
#pragma unroll 1
        for (std::uint32_t quad = first_slot / 4; quad * 4 < end_slot; ++quad) {
            random.draw(d, quad);
            if (quad * 4 >= first_slot && quad * 4 + 4 <= end_slot) {
#pragma unroll
                for (int k = 0; k < 4; ++k) update(k, quad * 4 + k);
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    if (quad * 4 + k >= first_slot && quad * 4 + k < end_slot) update(k, quad * 4 + k);
            }
            offset.next_quad();
        }
    }

  private:
    __device__ __forceinline__ void update(int k, std::uint32_t slot) const {
        SiteWords spins = load(k);
        if constexpr (AtSeam) spins.near[5] = turned(spins.near[5], bond[5]);
        lattices.store(at.own + offset.own, k, updated_site<Share, true>(a, spins, bond, random, k, slot));
    }
    /// Loads neighbour 5 last, because it may be in another block.
    __device__ __forceinline__ SiteWords load(int k) const {
        SiteWords spins;
        spins.own = lattices.load(at.own + offset.own, k);
        spins.near[1] = lattices.load(at.near[1] + offset.near, k);
        spins.near[3] = lattices.load(at.near[3] + offset.near, k);
        spins.near[4] = lattices.load(at.near[4] + offset.near, k);
        spins.near[0] = lattices.load(at.near[0] + offset.near, k);
        spins.near[2] = lattices.load(at.near[2] + offset.near, k);
        spins.near[5] = lattices.load_near(5, at.near[5] + offset.near, k);
        return spins;
    }
};

/// Updates one site in the slots [first_slot, end_slot). `at` is the site in the quad of the first slot.
/// Warps with a site whose bond 5 is a seam have a separate path. Slots, offset and at_seam must be equal in
/// all threads of a warp.
template <int Share, class Lattices>
__device__ __forceinline__ void update_gauged(const SweepArgs& a, const Lattices& lattices,
                                              std::uint32_t first_slot, std::uint32_t end_slot,
                                              const SiteAddresses<Lattices>& at, const WarpOffsets& offset,
                                              const uint4 (&bond)[6], bool at_seam, const SiteDraw& d) {
    if (at_seam)
        GaugedUpdate<Share, true, Lattices>{a, lattices, at, bond, offset, {}}.run(first_slot, end_slot, d);
    else
        GaugedUpdate<Share, false, Lattices>{a, lattices, at, bond, offset, {}}.run(first_slot, end_slot, d);
}

}  // namespace psflip
