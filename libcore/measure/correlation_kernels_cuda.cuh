// Declares the GPU kernels of correlations. All pointers refer to device memory. The functions queue their
// work into the given stream and return at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lattice/shape.hpp"
#include "measure/slab_lines.hpp"

namespace psflip {

/// Describes lines of sites along the first `axes` axes. Lines along x and y lie in `planes` planes of the
/// site order. A line along z goes through all planes of a whole lattice.
struct LinePlanes {
    SiteOrder order;
    int L, axes;
    int planes, first;  ///< first: index in memory of the first of these planes
    int held;           ///< planes in memory

    /// Returns the lines along all axes of whole lattices, or the lines that lie in the own planes of a slab.
    static LinePlanes of(const Shape& shape) {
        return {.order = shape.order,
                .L = shape.L,
                .axes = shape.is_slab() ? first_axis_through_slabs(shape.order) : shape.dimension,
                .planes = shape.own_planes(),
                .first = shape.halo_planes(),
                .held = shape.held_planes()};
    }
    /// Return the number of lines along each axis, and the number of sites in memory.
    PSFLIP_HD int lines() const { return L * planes; }
    PSFLIP_HD std::uint32_t sites() const { return static_cast<std::uint32_t>(L) * L * held; }
    /// Returns the index in memory of the site (u, v) of plane w in memory. u, v are coordinates of `order`.
    PSFLIP_HD std::uint32_t index(int u, int v, int w) const {
        if (order == SiteOrder::sliced) return (w & 1) * (sites() / 2) + u + L * (v + L * (w >> 1));
        return ((u + v + w) & 1) * (sites() / 2) + (u >> 1) + L / 2 * (v + L * w);
    }
    /// Returns the index in memory of site x of a line along an axis. The other coordinates of the line are
    /// line % L and line / L.
    PSFLIP_HD std::uint32_t site(int axis, int line, int x) const {
        const int u = line % L, v = line / L;
        const Coordinates at = to_order(order, L,
                                        axis == 0   ? Coordinates{x, u, v}
                                        : axis == 1 ? Coordinates{u, x, v}
                                                    : Coordinates{u, v, x});
        return index(at.x, at.y, first + at.z);
    }
};

/// Describes lines of sites in one, two or four replicas. The kernel compares overlaps of the replicas at two
/// sites of a line. Spins are 128-bit words of SpinLayout with group 1. Slots of a replica follow each other,
/// and columns are `stride` lattices apart.
struct CorrelationArgs {
    const uint4* replica[4];
    int replicas;  ///< 1: spins themselves; 2: overlaps of a pair; 4: overlaps of six pairs together
    LinePlanes planes;
    int distances;  ///< at most L / 2
    std::uint32_t temperatures, stride, columns;
    std::uint32_t* counts;  ///< (1 to distances; slot; lane 128 column + bit): the kernel adds, modulo 2^32

    /// Returns the number of fields of overlaps at a site (replica_pairs_rule.hpp).
    PSFLIP_HD int fields() const { return replicas == 4 ? 3 : 1; }
};

/// Describes whole lines of one lattice. They hold what the kernel compares: (site of the line; field; line).
struct LineFieldArgs {
    const uint4* fields;
    int fields_of_site;  ///< 1 or 3
    int L, lines, distances;
    std::uint32_t* counts;  ///< (1 to distances; lane): the kernel adds, modulo 2^32
    std::size_t row;        ///< counts of a distance lie this far from the counts of the next distance
};

/// Returns whether shared memory suffices to count the six pairs of four replicas together.
bool counts_four_replicas(int L, int distances);

/// Counts triples (site i, axis, pair of replicas). The counts of distance k grow by the triples whose
/// overlaps at i and at the site k further along the axis differ.
void count_correlations(const CorrelationArgs& args, cudaStream_t stream);
void count_correlations(const LineFieldArgs& args, cudaStream_t stream);

/// Describes whole lattices of one replica at two times. Spins are 128-bit words of SpinLayout with group 1.
/// Slots of a replica follow each other, and columns are `stride` lattices apart.
struct TwoTimeArgs {
    const uint4* a;
    const uint4* b;
    const uint4* absent;  ///< absent bonds, words of CouplingLayout, or nullptr if no bond is absent
    LinePlanes planes;
    std::uint32_t temperatures, stride, columns;
    std::uint32_t* counts;  ///< (sites, bonds; slot; lane 128 column + bit): the kernel adds, modulo 2^32
};

/// Adds the number of sites whose spins differ between the two times, and the number of present bonds whose
/// products of two spins differ.
void count_two_times(const TwoTimeArgs& args, cudaStream_t stream);

#ifdef __CUDACC__
/// Stores the fields of a site at `to`, `step` words apart.
template <int Fields>
__device__ __forceinline__ void put_fields(uint4* to, std::size_t step, const CorrelationArgs& args,
                                           std::size_t site) {
    const uint4 first = args.replica[0][site];
    if (args.replicas == 1) {
        *to = first;
        return;
    }
#pragma unroll
    for (int f = 0; f < Fields; ++f) {
        const uint4 other = args.replica[f + 1][site];
        to[f * step] = {first.x ^ other.x, first.y ^ other.y, first.z ^ other.z, first.w ^ other.w};
    }
}
#endif

}  // namespace psflip
