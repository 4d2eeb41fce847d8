#pragma once

#include "sweep/cuda/site_update_cuda.cuh"
#include "sweep/resident/resident_sites_cuda.cuh"
#include "sweep/resident/resident_spins_cuda.cuh"

namespace psflip {

/// Updates of one site with its bonds in the gauge; AtSeam: its fifth bond may be -1. Within whole fours the
/// words of a slot are read while those of the slot before are used.
template <int Share, bool AtSeam, class Lattices>
struct GaugedUpdate {
    const SweepArgs& a;
    const Lattices& lattices;
    const SlabSite& site;
    SiteAddresses<Lattices> at;
    QuadRandom<Share> random;

    /// In the slots [first_slot, end_slot); `at` is the site in the first slot's four.
    __device__ __forceinline__ void run(std::uint32_t first_slot, std::uint32_t end_slot, const SiteDraw& d) {
#pragma unroll 1
        for (std::uint32_t quad = first_slot / 4; quad * 4 < end_slot; ++quad) {
            random.draw(d, quad);
            if (quad * 4 >= first_slot && quad * 4 + 4 <= end_slot) {
                update_whole(quad);
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    if (quad * 4 + k >= first_slot && quad * 4 + k < end_slot) {
                        SiteWords spins;
                        load(spins, k);
                        update(spins, k, quad * 4 + k);
                    }
            }
            at.next_quad(lattices);
        }
    }

  private:
    __device__ __forceinline__ void load(SiteWords& spins, int k) const {
#pragma unroll
        for (int i = 0; i < 5; ++i) spins.near[i] = lattices.load(at.near[i], k);
        spins.own = lattices.load(at.own, k);
        spins.near[5] = lattices.load_near(5, at.near[5], k);
    }
    __device__ __forceinline__ void update(SiteWords& spins, int k, std::uint32_t slot) const {
        if constexpr (AtSeam) spins.near[5] = turned(spins.near[5], site.bond[5]);
        lattices.store(at.own, k, updated_site<Share, true>(a, spins, site.bond, random, k, slot));
    }
    __device__ __forceinline__ void update_whole(std::uint32_t quad) const {
        SiteWords spins;
        load(spins, 0);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            SiteWords next;
            if (k < 3) load(next, k + 1);
            update(spins, k, quad * 4 + k);
            if (k < 3) spins = next;
        }
    }
};

/// Updates one site in the slots [first_slot, end_slot), of which the first is the first of `lattices`. Warps
/// without a site at the seam have a path of their own.
template <int Share, class Lattices>
__device__ __forceinline__ void update_gauged(const SweepArgs& a, const Lattices& lattices,
                                              std::uint32_t first_slot, std::uint32_t end_slot,
                                              const SlabSite& site, const SiteDraw& d) {
    const SiteAddresses<Lattices> at(lattices, site.in_slab, -static_cast<std::int32_t>(first_slot % 4));
    if (__any_sync(__activemask(), site.seam))
        GaugedUpdate<Share, true, Lattices>{a, lattices, site, at, {}}.run(first_slot, end_slot, d);
    else
        GaugedUpdate<Share, false, Lattices>{a, lattices, site, at, {}}.run(first_slot, end_slot, d);
}

}  // namespace psflip
