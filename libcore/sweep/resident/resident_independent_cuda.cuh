#pragma once

#include "sweep/independent/independent_update_cuda.cuh"
#include "sweep/resident/resident_spins_cuda.cuh"

namespace psflip {

/// Updates the sites of one colour of whole lattices with share 1.
template <class Rule>
__device__ __forceinline__ void update_colour_independent(const SweepArgs& a, const typename Rule::Args& args,
                                                          const ResidentBlock& held,
                                                          const SharedLattices& block,
                                                          const IndependentMemory<Rule>& memory,
                                                          UndecidedLanes<Rule>& undecided,
                                                          std::uint32_t colour, std::uint64_t sweep) {
    const Geometry& g = a.geometry;
    const SlotLattices<SharedLattices, Rule::degree> lattices{block};
    SiteDraw draw{0, held.replica, a.first_realization + held.column * 128, sweep, a.seed};
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x;; i += blockDim.x) {
        const bool valid = i < g.colour_sites;
        if (!__any_sync(~0u, valid)) break;
        const Place place = place_of(g, colour, valid ? i : 0);
        const NearSites<Rule::degree> n(neighbours_of(g, colour, place));
        const typename Rule::Site site = Rule::site(a, args, held.column, n, memory.kept);
        draw.site = standard_site(g, place);
        update_independent<Rule>(args, memory.tables, undecided, lattices, held.slots(), n, site, draw,
                                 valid);
    }
    undecided.finish(memory.tables, lattices, {a.seed}, draw);
}

/// Carries out a burst of sweeps of whole lattices with share 1, by one block. start(held) must set the
/// energies before the sweeps, and count(held, lattices) must add to them after the sweeps.
template <class Rule, class Slab, class Start, class Count>
__device__ __forceinline__ void sweep_independent(const SweepArgs& a, const typename Rule::Args& args,
                                                  const ResidentPlan& plan, const Slab& whole,
                                                  const SweepBurst& burst, const Start& start,
                                                  const Count& count) {
    extern __shared__ uint4 lattices[];
    const ResidentBlock held(a, plan, whole);
    SharedLattices block = SharedLattices::at(lattices, held.slots());
    const IndependentMemory<Rule> memory(lattices + plan.lattice_bytes / 16);
    UndecidedLanes<Rule> undecided(memory.queue);
    const std::uint32_t first_lattice = held.replica * a.temperatures + held.first_slot;
    set_thresholds(a, args, memory.tables, first_lattice, held.slots());
    load_block(a, whole, held, burst.pending, block);
    start(held);
    for (int s = 0; s < burst.count; ++s) {
        const std::uint64_t sweep = static_cast<std::uint64_t>(burst.first + s);
        set_rounds(a, memory.tables, sweep, first_lattice, held.slots());
        __syncthreads();
#pragma unroll 1
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            update_colour_independent<Rule>(a, args, held, block, memory, undecided, colour, sweep);
            __syncthreads();
        }
    }
    store_block(a, whole, held, block);
    count(held, block);
}

}  // namespace psflip
