#pragma once

#include "sweep/leftovers_cuda.cuh"
#include "sweep/slot_lattices_cuda.cuh"

namespace psflip {

/// Updates one site in the slots [first_slot, end_slot), whose tables start at `tables`, with a random number
/// for every spin. All threads of a warp must call together; those not `valid` need a site all the same, to
/// which they do nothing. What is left undecided is in `leftovers` afterwards. d: of the site.
template <class Lattices>
__device__ __forceinline__ void update_slots_independent(const SweepArgs& a, const SlotTable* tables,
                                                         Leftovers& leftovers, const Lattices& all,
                                                         std::uint32_t first_slot, std::uint32_t end_slot,
                                                         const Neighbours& n, const uint4 (&bond)[6],
                                                         const SiteDraw& d, bool valid) {
    SlotLattices<Lattices> lattices{all};
    // A thread that is not valid reads a site of the other colour: the site's own thread may write it.
    const auto own = lattices.address(valid ? n.own : n.site[0]);
    typename SlotLattices<Lattices>::Address near[6];
#pragma unroll
    for (int i = 0; i < 6; ++i) near[i] = lattices.near_address(i, n.site[i]);
    const SiteRounds<site_words> rounds({a.seed}, d.site, d.first_realization / 32);
#pragma unroll 1
    for (std::uint32_t k = 0; k < end_slot - first_slot; ++k) {
        uint4 spins = lattices.load(own), around[6];
#pragma unroll
        for (int i = 0; i < 6; ++i) around[i] = lattices.load_near(i, near[i]);
        LaneComparison lanes[site_words];
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            DeviceWord e[6];
#pragma unroll
            for (int i = 0; i < 6; ++i)
                e[i] = xor3(word_of(spins, w), word_of(around[i], w), word_of(bond[i], w));
            lanes[w].start(e, {valid ? ~0u : 0u});
        }
        compare_two_digits(a, tables[k], rounds, d.sweep, lanes);
#pragma unroll
        for (int w = 0; w < site_words; ++w) word_ref(spins, w) = lanes[w].flipped(word_of(spins, w)).bits;
        if (valid) lattices.store(own, spins);
        leftovers.add(tables, lattices, {a.seed}, d, k, n.own, lanes);
        lattices.next_slot();
    }
}

}  // namespace psflip
