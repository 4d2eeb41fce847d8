#pragma once

#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/gauge.hpp"
#include "sweep/resident/resident_block_cuda.cuh"

namespace psflip {

/// Names a site of a slab with its neighbours in the slab and its couplings. In the gauge, couplings along z
/// are +1, except for the seam, which is bond 5.
struct SlabSite {
    std::uint32_t standard;  ///< number in standard order
    std::uint32_t z;         ///< plane in the slab
    Neighbours in_slab;
    uint4 bond[6];
    bool seam = false;  ///< bond 5 is a seam
};

/// Lists the sites of one colour of a slab. If Gauged, `couplings` are GaugedBonds.
template <bool Clustered, bool Gauged>
struct SlabSites {
    const Geometry& g;
    const Geometry& slab;
    const uint4* couplings;  ///< couplings of the column
    std::uint32_t colour, first_plane;
    std::uint32_t own, other,
        below;  ///< slab_offset of sites, of neighbours in this slab, and of neighbours below it

    /// The plane below plane 0 of a slab is the last plane of the previous slab, or of the last slab.
    __device__ __forceinline__ SlabSites(const SweepArgs& a, const Geometry& of_slab,
                                         const ResidentBlock& held, const uint4* of_column, std::uint32_t c)
        : g(a.geometry),
          slab(of_slab),
          couplings(of_column),
          colour(c),
          first_plane(Clustered ? held.first_plane : 0) {
        if constexpr (Clustered) {
            const std::uint32_t end_below = first_plane == 0 ? g.L : first_plane;
            own = kept(slab_offset(g, slab, colour, first_plane));
            other = kept(slab_offset(g, slab, 1 - colour, first_plane));
            below = kept(slab_offset(g, slab, 1 - colour, end_below - slab.depth));
        }
    }

    /// Returns the i-th site. Rows are whole, so its number in standard order is 2 i, plus the parity of x,
    /// plus the sites below the slab.
    __device__ __forceinline__ SlabSite site(std::uint32_t i) const {
        Place place = place_of(slab, colour, i);
        place.parity ^= first_plane & 1u;
        SlabSite s{2 * (first_plane * slab.plane + i) + place.parity,
                   place.z,
                   neighbours_of(slab, colour, place),
                   {}};
        Neighbours in_lattice = s.in_slab;
        if constexpr (Clustered) {
            in_lattice.own += own;
            in_lattice.site[3] += other;
            in_lattice.site[4] += other;
            in_lattice.site[5] += place.z == 0 ? below : other;
        }
        if constexpr (Gauged)
            load_gauged(place, in_lattice, s);
        else
            load_couplings(couplings, g.sites, in_lattice, s.bond);
        return s;
    }

  private:
    __device__ __forceinline__ void load_gauged(const Place& place, const Neighbours& in_lattice,
                                                SlabSite& s) const {
        const bool first = place.z == 0, last = place.z + 1 == slab.depth;
        end_last(s.in_slab, last);
        s.seam = (first || last) && (!Clustered || at_seam(slab, first_plane, place.y, last));
        load_gauged_bonds(couplings, g.sites, in_lattice, s.seam, s.bond);
    }
};

/// Counts the energies of the slots of a block from their lattices in shared memory. A warp takes the bonds
/// of up to bond_sites red sites per thread in two slots. Energies begin at -3N (-bonds + 2 unsatisfied
/// bonds).
struct ResidentEnergy {
    /// Sets the energies before counting. All threads of the block must call it, at least one barrier before
    /// add.
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
    /// Adds the counts of N slots at a time. The last group of slots may have fewer.
    template <bool Clustered, class Block, int N>
    __device__ __forceinline__ static void add_groups(const SweepArgs& a, const Geometry& slab,
                                                      const ResidentBlock& held, std::uint32_t bond_sites,
                                                      typename Block::Type& block, const uint4* couplings,
                                                      std::int32_t* energy) {
        const std::uint32_t piece_sites = 32 * bond_sites, groups = (held.slots() + N - 1) / N,
                            pieces = (slab.colour_sites + piece_sites - 1) / piece_sites;
        const SlabSites<Clustered, Block::gauged> reds(a, slab, held, couplings, 0);
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
