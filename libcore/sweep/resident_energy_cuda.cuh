#pragma once

#include "sweep/bond_count_cuda.cuh"
#include "sweep/resident_part_cuda.cuh"

namespace psflip {

/// Energies of the slots of a part from its lattices in shared memory. A warp takes the bonds of up to
/// bond_sites red sites per thread of one slot; energies start at -3N (-bonds + 2 unsatisfied).
struct ResidentEnergy {
    /// By all threads of the block, at least one barrier before add.
    __device__ __forceinline__ static void start(const SweepArgs& a, const Part& part, std::int32_t* energy) {
        if (part.rank != 0) return;
        std::int32_t* const mine = energy + part.first_lattice(a) * 128;
        for (std::uint32_t i = threadIdx.x; i < part.slots() * 128; i += blockDim.x)
            mine[i] = -3 * static_cast<std::int32_t>(a.geometry.sites);
    }

    template <bool Clustered>
    __device__ __forceinline__ static void add(const SweepArgs& a, const Geometry& slab, const Part& part,
                                               std::uint32_t bond_sites,
                                               typename BlockLattices<Clustered>::Type& block,
                                               const uint4* couplings, std::int32_t* energy) {
        const std::uint32_t piece_sites = 32 * bond_sites,
                            pieces = (slab.colour_sites + piece_sites - 1) / piece_sites;
        const SlabColour<Clustered> reds(a, slab, part, couplings, 0);
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32; task < part.slots() * pieces; task += blockDim.x / 32) {
            const std::uint32_t piece = task / part.slots(), k = task - piece * part.slots();
            const std::uint32_t begin = piece * piece_sites;
            const int4 n = count_bonds<uint4>(
                begin, min(begin + piece_sites, slab.colour_sites),
                [&](std::uint32_t i, SiteWords& words, uint4(&bond)[6]) {
                    const SlabSite site = reds.site(i);
                    BlockLattices<Clustered>::at_plane(block, slab, site.z);
                    words.load(block, SiteAddresses(block, site.in_slab, static_cast<std::int32_t>(k)), 0);
#pragma unroll
                    for (int d = 0; d < 6; ++d) bond[d] = site.bond[d];
                });
            add_counts(energy + (part.first_lattice(a) + k) * 128 + threadIdx.x % 32 * 4, n, 2);
        }
    }
};

}  // namespace psflip
