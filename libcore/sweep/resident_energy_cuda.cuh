#pragma once

#include "sweep/lane_count_cuda.cuh"
#include "sweep/resident_part_cuda.cuh"

namespace psflip {

/// Energies of the slots of a part from its lattices in shared memory. A warp takes 32 positions in a plane
/// of one slot and up to ten z planes of red sites, counts their bonds in bit planes and adds the counts of
/// its 128 lanes to the energies, which start at -3N (start_energies; -bonds + 2 unsatisfied).
struct ResidentEnergy {
    static constexpr std::uint32_t most_planes = 10;
    static constexpr int counter_planes = planes_for(6 * most_planes);

    /// By all threads of the block, at least one barrier before add.
    __device__ __forceinline__ static void start(const SweepArgs& a, const Part& part, std::int32_t* energy) {
        if (part.rank != 0) return;
        std::int32_t* const mine = energy + part.first_lattice(a) * 128;
        for (std::uint32_t i = threadIdx.x; i < part.slots() * 128; i += blockDim.x)
            mine[i] = -3 * static_cast<std::int32_t>(a.geometry.sites);
    }

    template <bool Clustered>
    __device__ __forceinline__ static void add(const SweepArgs& a, const Geometry& slab, const Part& part,
                                               typename BlockLattices<Clustered>::Type& block,
                                               const uint4* couplings, std::int32_t* energy) {
        const Geometry& g = a.geometry;
        const std::uint32_t warps = blockDim.x / 32, thread = threadIdx.x % 32;
        const std::uint32_t across = (g.plane + 31) / 32,
                            along = (slab.depth + most_planes - 1) / most_planes,
                            length = (slab.depth + along - 1) / along;
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32; task < part.slots() * across * along; task += warps) {
            const std::uint32_t piece = task / part.slots(), k = task - piece * part.slots();
            const std::uint32_t i = piece / along * 32 + thread, begin = piece % along * length;
            const Place place = place_of(g, 0, i);
            BitCounter<DeviceWord, counter_planes> counter[4];
#pragma unroll
            for (int w = 0; w < 4; ++w) counter[w].clear();
            const std::uint32_t end = i < g.plane ? min(begin + length, slab.depth) : begin;
#pragma unroll 1
            for (std::uint32_t z = begin; z < end; ++z) {
                BlockLattices<Clustered>::at_plane(block, slab, z);
                count<Clustered>({g, slab, part, couplings, 0, place.h, place.y, z}, block, k, counter);
            }
            add_counts(energy + (part.first_lattice(a) + k) * 128 + 4 * thread, warp_lane_counts(counter), 2);
        }
    }

  private:
    template <bool Clustered>
    __device__ __forceinline__ static void count(const SlabSite<Clustered>& site,
                                                 const typename BlockLattices<Clustered>::Type& block,
                                                 std::uint32_t k,
                                                 BitCounter<DeviceWord, counter_planes> (&counter)[4]) {
        SiteWords spins;
        spins.load(block, SiteAddresses(block, site.in_slab, static_cast<std::int32_t>(k)), 0);
        count_site(spins.own, spins.near, site.bond, counter);
    }
};

}  // namespace psflip
