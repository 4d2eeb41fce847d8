#pragma once

#include "sweep/independent/leftovers_cuda.cuh"
#include "sweep/independent/slot_lattices_cuda.cuh"

namespace psflip {

/// Updates one site in `count` lattices with a random number for every spin; `tables` are those of the
/// lattices. All threads of a warp must call together; those not `valid` need a site all the same, to which
/// they do nothing. What is left undecided is in `leftovers` afterwards. d: of the site.
template <class Lattices, int Degree>
__device__ __forceinline__ void update_independent(const SlotTable* tables, Leftovers& leftovers,
                                                   SlotLattices<Lattices, Degree> lattices,
                                                   std::uint32_t count, NearSites<Degree> n,
                                                   const uint4 (&bond)[Degree], const SiteDraw& d,
                                                   bool valid) {
    const PhiloxKeys keys{d.seed};
    if (!valid) n.own = n.near[0];  // is read, and the site's own thread may write it
    const auto at = lattices.addresses(n);
    const SiteRounds<site_words> rounds(keys, d.site, d.first_realization / 32);
    lattices.begin(at);
#pragma unroll 1
    for (std::uint32_t k = 0; k < count; ++k) {
        NearSpins<Degree> spins;
        lattices.load(at, k + 1 < count, spins);
        LaneComparison lanes[site_words];
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            DeviceWord e[Degree];
#pragma unroll
            for (int i = 0; i < Degree; ++i)
                e[i] = xor3(word_of(spins.own, w), word_of(spins.near[i], w), word_of(bond[i], w));
            lanes[w].start(e, {valid ? ~0u : 0u});
        }
        compare_two_digits(tables[k], rounds, keys, lanes);
#pragma unroll
        for (int w = 0; w < site_words; ++w)
            word_ref(spins.own, w) = lanes[w].flipped(word_of(spins.own, w)).bits;
        if (valid) lattices.store(at, spins.own);
        leftovers.add(tables, lattices, keys, d, k, at.own, lanes);
        lattices.next_slot();
    }
}

}  // namespace psflip
