#pragma once

#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/resident/resident_sites_cuda.cuh"

namespace psflip {

/// Energies of the slots of a block from its lattices in shared memory. A warp takes the bonds of up to
/// bond_sites red sites per thread of two slots; energies start at -3N (-bonds + 2 unsatisfied).
struct ResidentEnergy {
    /// By all threads of the block, at least one barrier before add.
    __device__ __forceinline__ static void start(const SweepArgs& a, const ResidentBlock& held,
                                                 std::int32_t* energy) {
        if (held.rank != 0) return;
        std::int32_t* const mine = energy + held.first_lattice(a) * 128;
        for (std::uint32_t i = threadIdx.x; i < held.slots() * 128; i += blockDim.x)
            mine[i] = -3 * static_cast<std::int32_t>(a.geometry.sites);
    }

    template <bool Clustered, class Block>
    __device__ __forceinline__ static void add(const SweepArgs& a, const Geometry& slab,
                                               const ResidentBlock& held, std::uint32_t bond_sites,
                                               typename Block::Type& block, const uint4* couplings,
                                               std::int32_t* energy) {
        if (held.slots() > 1)
            add_groups<Clustered, Block, 2>(a, slab, held, bond_sites, block, couplings, energy);
        else
            add_groups<Clustered, Block, 1>(a, slab, held, bond_sites, block, couplings, energy);
    }

  private:
    /// N slots at once; of the last group some may not be there.
    template <bool Clustered, class Block, int N>
    __device__ __forceinline__ static void add_groups(const SweepArgs& a, const Geometry& slab,
                                                      const ResidentBlock& held, std::uint32_t bond_sites,
                                                      typename Block::Type& block, const uint4* couplings,
                                                      std::int32_t* energy) {
        const std::uint32_t piece_sites = 32 * bond_sites, groups = (held.slots() + N - 1) / N,
                            pieces = (slab.colour_sites + piece_sites - 1) / piece_sites;
        const SlabColour<Clustered, Block::gauged> reds(a, slab, held, couplings, 0);
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32; task < groups * pieces; task += blockDim.x / 32) {
            const std::uint32_t piece = task / groups, slot = N * (task - piece * groups);
            const std::uint32_t begin = piece * piece_sites;
            const auto there = [&](int k) { return slot + k < held.slots(); };
            std::int32_t* const lanes = energy + (held.first_lattice(a) + slot) * 128 + threadIdx.x % 32 * 4;
            count_bonds<uint4, N>(
                begin, min(begin + piece_sites, slab.colour_sites),
                [&](std::uint32_t i, SiteWords(&words)[N], uint4(&bond)[6]) {
                    const SlabSite site = reds.site(i);
                    Block::at_layer(block, site.z == 0, site.z + 1 == slab.depth);
                    const SiteAddresses at(block, site.in_slab, static_cast<std::int32_t>(slot));
#pragma unroll
                    for (int k = 0; k < N; ++k) words[k].load(block, at, there(k) ? k : 0);
#pragma unroll
                    for (int d = 0; d < 6; ++d) bond[d] = site.bond[d];
                },
                [&](int k, const int4& n) {
                    if (there(k)) add_counts(lanes + k * 128, n, 2);
                });
        }
    }
};

}  // namespace psflip
