#pragma once

#include "sweep/independent/independent_update_cuda.cuh"
#include "sweep/resident/resident_spins_cuda.cuh"

namespace psflip {

/// The sites of one colour of whole lattices with share 1; threads take them in their order.
template <int Degree>
__device__ __forceinline__ void update_colour_independent(const SweepArgs& a, const ResidentBlock& held,
                                                          const SharedLattices& block, const uint4* couplings,
                                                          const SlotTable* tables, Leftovers& leftovers,
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
        update_independent(tables, leftovers, lattices, held.slots(), n, bond, draw, valid);
    }
    leftovers.finish(tables, lattices, {a.seed}, draw);
}

}  // namespace psflip
