#pragma once

#include "sweep/cuda/class_lattices_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"
#include "sweep/resident/resident_spins_cuda.cuh"

namespace psflip {

/// Names a site of a slab and its neighbours: by indices in the lattice, for couplings, and by indices in the
/// slab, for spins.
template <int Degree>
struct LayerSite {
    std::uint32_t standard;  ///< number in standard order
    NearSites<Degree> in_lattice, in_slab;
    bool first, last;  ///< the site is in the first or last layer of the slab
};

/// Lists the sites of one colour of a slab. A site and its neighbours in adjacent layers have equal indices
/// within their layers. Neighbours beyond an end of the slab are in the nearest layer of the adjacent slab.
template <int Degree, bool Clustered>
struct LayerColour {
    const Geometry& g;
    const Layers& slab;
    std::uint32_t colour, first;  ///< first: number of the slab's first site in the lattice
    std::uint32_t own, other;     ///< slab_offset of this colour and of the other colour

    __device__ __forceinline__ LayerColour(const SweepArgs& a, const Layers& of_slab,
                                           const ResidentBlock& held, std::uint32_t c)
        : g(a.geometry),
          slab(of_slab),
          colour(c),
          first(held.first_plane * of_slab.layer),
          own(slab_offset(a.geometry, of_slab, c, held.first_plane)),
          other(slab_offset(a.geometry, of_slab, 1 - c, held.first_plane)) {}

    /// Returns the i-th site.
    __device__ __forceinline__ LayerSite<Degree> site(std::uint32_t i) const {
        const Place place = place_of(g, colour, Clustered ? first + i : i);
        const NearSites<Degree> at(neighbours_of(g, colour, place));
        LayerSite<Degree> s{standard_site(g, place), at, at, false, false};
        if constexpr (Clustered) {
            constexpr int up = Degree / 2 - 1, down = Degree - 1;
            s.first = i < slab.layer;
            s.last = i + slab.layer >= slab.colour_sites;
            s.in_slab.own -= own;
#pragma unroll
            for (int k = 0; k < Degree; ++k)
                if (k != up && k != down) s.in_slab.near[k] -= other;
            const std::uint32_t same = (colour ? 0u : slab.colour_sites) + i;
            s.in_slab.near[up] = s.last ? same + slab.layer - slab.colour_sites : same + slab.layer;
            s.in_slab.near[down] = s.first ? same + slab.colour_sites - slab.layer : same - slab.layer;
        }
        return s;
    }
};

/// Sets the energies and magnetisations of slots before counting, in the first block of a cluster.
__device__ __forceinline__ void start_counts(const SweepArgs& a, const ClassArgs& table,
                                             const ResidentBlock& held, const SweepBurst& burst) {
    if (held.rank != 0) return;
    const std::size_t first = held.first_lattice(a) * 128;
    for (std::uint32_t i = threadIdx.x; i < held.slots() * 128; i += blockDim.x) {
        burst.energy[first + i] = -table.bonds[held.column * 128 + i % 128];
        if (burst.magnetisation)
            burst.magnetisation[first + i] = -static_cast<std::int32_t>(a.geometry.sites);
    }
}

/// Adds the counts of a slab to energies and magnetisations. All threads of the block must call it.
template <int Degree, bool Absent, bool Clustered>
__device__ __forceinline__ void count_slots(const SweepArgs& a, const ClassArgs& table, const Layers& slab,
                                            const ResidentBlock& held, const SweepBurst& burst,
                                            typename BlockLattices<Clustered, Degree>::Type& block) {
    constexpr std::uint32_t piece = 32 * model_count_sites;
    const std::uint32_t pieces = (slab.colour_sites + piece - 1) / piece;
    const std::size_t column = static_cast<std::size_t>(held.column) * (Degree / 2) * a.geometry.sites;
    const LayerColour<Degree, Clustered> reds(a, slab, held, 0);
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x / 32; task < held.slots() * pieces; task += blockDim.x / 32) {
        const std::uint32_t k = task / pieces, begin = (task - k * pieces) * piece;
        ModelCounter<Degree, Absent> counter;
        counter.clear();
#pragma unroll 1
        for (std::uint32_t i = begin + threadIdx.x % 32; i < min(begin + piece, slab.colour_sites); i += 32) {
            const LayerSite<Degree> s = reds.site(i);
            BlockLattices<Clustered, Degree>::at_layer(block, s.first, s.last);
            counter.add(a.geometry, SharedSite(block, s.in_slab, 0).load(k),
                        block.load(block.address(slab.colour_sites + i, 0), k), s.in_lattice,
                        a.couplings + column, table.absent + column);
        }
        counter.finish((held.first_lattice(a) + k) * 128, burst.energy, burst.magnetisation);
    }
}

}  // namespace psflip
