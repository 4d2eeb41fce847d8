#pragma once

#include "sweep/independent/independent_update_cuda.cuh"
#include "sweep/resident/resident_spins_cuda.cuh"

namespace psflip {

/// Updates the sites of one colour of whole lattices with share 1.
template <int Degree>
__device__ __forceinline__ void update_colour_independent(const SweepArgs& a, const ResidentBlock& held,
                                                          const SharedLattices& block, const uint4* couplings,
                                                          const SlotTable* tables, UndecidedLanes& undecided,
                                                          std::uint32_t colour, std::uint64_t sweep) {
    const Geometry& g = a.geometry;
    const SlotLattices<SharedLattices, Degree> lattices{block};
    SiteDraw draw{0, held.replica, a.first_realization + held.column * 128, sweep, a.seed};
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x;; i += blockDim.x) {
        const bool valid = i < g.colour_sites;
        if (!__any_sync(~0u, valid)) break;
        const Place place = place_of(g, colour, valid ? i : 0);
        const NearSites<Degree> n(neighbours_of(g, colour, place));
        uint4 bond[Degree];
        load_bonds(couplings, g.sites, n, bond);
        draw.site = standard_site(g, place);
        update_independent(tables, undecided, lattices, held.slots(), n, bond, draw, valid);
    }
    undecided.finish(tables, lattices, {a.seed}, draw);
}

/// Carries out a burst of sweeps of whole lattices with share 1, by one block. start(held) must set the
/// energies before the sweeps, and count(held, lattices, couplings) must add to them after the sweeps.
template <int Degree, class Slab, class Start, class Count>
__device__ __forceinline__ void sweep_independent(const SweepArgs& a, const ResidentPlan& plan,
                                                  const Slab& whole, const SweepBurst& burst,
                                                  const Start& start, const Count& count) {
    extern __shared__ uint4 lattices[];
    const ResidentBlock held(a, plan, whole);
    const uint4* const couplings =
        kept(a.couplings + static_cast<std::size_t>(held.column) * (Degree / 2) * a.geometry.sites);
    SharedLattices block = SharedLattices::at(lattices, held.slots());
    uint4* const queue = lattices + plan.lattice_bytes / 16;
    SlotTable* const tables =
        reinterpret_cast<SlotTable*>(queue + blockDim.x * undecided_bytes_per_thread / 16);
    UndecidedLanes undecided(queue);
    const std::uint32_t first_lattice = held.replica * a.temperatures + held.first_slot;
    set_thresholds(a, tables, first_lattice, held.slots());
    load_block(a, whole, held, burst.pending, block);
    start(held);
    for (int s = 0; s < burst.count; ++s) {
        const std::uint64_t sweep = static_cast<std::uint64_t>(burst.first + s);
        set_rounds(a, tables, sweep, first_lattice, held.slots());
        __syncthreads();
#pragma unroll 1
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            update_colour_independent<Degree>(a, held, block, couplings, tables, undecided, colour, sweep);
            __syncthreads();
        }
    }
    store_block(a, whole, held, block);
    count(held, block, couplings);
}

}  // namespace psflip
