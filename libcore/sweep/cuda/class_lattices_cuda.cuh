#pragma once

#include "sweep/cuda/class_update_cuda.cuh"
#include "sweep/cuda/lattices_cuda.cuh"

namespace psflip {

// A site in the lattices of neighbouring slots, in device or in shared memory: load(slot) gives its spins and
// those around it, store(slot, spins) sets its own.

/// In device memory: (slot, site); `base` is the lattice of slot 0, whether or not it is among them.
template <int Degree>
struct GlobalSite {
    uint4* base;
    std::uint32_t sites;
    NearSites<Degree> at;

    __device__ __forceinline__ uint4* lattice(std::uint32_t slot) const {
        return base + static_cast<std::size_t>(slot) * sites;
    }
    __device__ __forceinline__ NearSpins<Degree> load(std::uint32_t slot) const {
        return {lattice(slot), at};
    }
    __device__ __forceinline__ void store(std::uint32_t slot, const uint4& v) const {
        lattice(slot)[at.own] = v;
    }
};

/// In shared memory, in tiles (see SharedTiles); `first` is the first of the slots.
template <int Degree>
struct SharedSite {
    const SharedLattices& lattices;
    std::uint32_t first, own, near[Degree];

    __device__ __forceinline__ SharedSite(const SharedLattices& all, const NearSites<Degree>& at,
                                          std::uint32_t first_slot)
        : lattices(all), first(first_slot), own(all.address(at.own, 0)) {
#pragma unroll
        for (int i = 0; i < Degree; ++i) near[i] = all.address(at.near[i], 0);
    }
    __device__ __forceinline__ NearSpins<Degree> load(std::uint32_t slot) const {
        NearSpins<Degree> spins;
#pragma unroll
        for (int i = 0; i < Degree; ++i) spins.near[i] = lattices.load(near[i], slot - first);
        spins.own = lattices.load(own, slot - first);
        return spins;
    }
    __device__ __forceinline__ void store(std::uint32_t slot, const uint4& v) const {
        lattices.store(own, slot - first, v);
    }
};

/// Slots [first, end) that a thread updates: of their fours each `step`-th, from number `part` on.
struct SlotRange {
    std::uint32_t first, end, part = 0, step = 1;
};

/// A rule with a random number for `Share` realizations.
template <class RuleOfSites, int Share>
struct SharedNumbers {
    using Rule = RuleOfSites;

    /// Updates a site in some slots. d: of the site.
    template <class Place>
    __device__ __forceinline__ static void update(const SweepArgs& a, const typename Rule::Args& table,
                                                  const typename Rule::Shared& shared, const Place& place,
                                                  const SlotRange& slots, const typename Rule::Site& site,
                                                  const SiteDraw& d) {
        QuadRandom<Share> random;
#pragma unroll 1
        for (std::uint32_t quad = slots.first / 4 + slots.part; quad * 4 < slots.end; quad += slots.step) {
            random.draw(d, quad);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const std::uint32_t slot = quad * 4 + k;
                if (slot < slots.first || slot >= slots.end) continue;
                const NearSpins<Rule::degree> spins = place.load(slot);
                uint4 result;
                typename Rule::Offset offset;
#pragma unroll
                for (int w = 0; w < 4; ++w) {
                    if (w * 32 % Share == 0)
                        offset = Rule::offset(a, table, shared, slot, random.word[w * 32 / Share][k]);
                    word_ref(result, w) = Rule::updated(spins, site, w, offset).bits;
                }
                place.store(slot, result);
            }
        }
    }
};

}  // namespace psflip
