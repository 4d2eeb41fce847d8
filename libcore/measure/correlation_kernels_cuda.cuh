// Declares the GPU kernels of correlations. All pointers refer to device memory. The functions queue their
// work into the given stream and return at once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/site_order.hpp"

namespace psflip {

/// Describes whole lattices of one, two or four replicas. The kernel compares their overlaps at two sites.
/// Spins are 128-bit words of SpinLayout with group 1. Slots of a replica follow each other, and columns are
/// `stride` lattices apart.
struct CorrelationArgs {
    const uint4* replica[4];
    int replicas;  ///< 1: spins themselves; 2: overlaps of a pair; 4: overlaps of six pairs together
    SiteOrder order;
    int L, dimension, distances;  ///< distances: at most L / 2
    std::uint32_t temperatures, stride, columns;
    std::uint32_t* counts;  ///< (1 to distances; slot; lane 128 column + bit): the kernel adds, modulo 2^32
};

/// Returns whether shared memory suffices to count the six pairs of four replicas together.
bool counts_four_replicas(int L, int distances);

/// Counts triples (site i, axis, pair of replicas). The counts of distance k grow by the triples whose
/// overlaps at i and at the site k further along the axis differ.
void count_correlations(const CorrelationArgs& args, cudaStream_t stream);

/// Describes whole lattices of one replica at two times. Spins are 128-bit words of SpinLayout with group 1.
/// Slots of a replica follow each other, and columns are `stride` lattices apart.
struct TwoTimeArgs {
    const uint4* a;
    const uint4* b;
    const uint4* absent;  ///< absent bonds, words of CouplingLayout, or nullptr if no bond is absent
    SiteOrder order;
    int L, dimension;
    std::uint32_t temperatures, stride, columns;
    std::uint32_t* counts;  ///< (sites, bonds; slot; lane 128 column + bit): the kernel adds, modulo 2^32
};

/// Adds the number of sites whose spins differ between the two times, and the number of present bonds whose
/// products of two spins differ.
void count_two_times(const TwoTimeArgs& args, cudaStream_t stream);

#ifdef __CUDACC__
/// Returns the index in memory of site x of a line along an axis of a whole lattice. The other coordinates of
/// the line are line % L and line / L.
__device__ __forceinline__ std::uint32_t line_site(SiteOrder order, int L, int dimension, int axis, int line,
                                                   int x) {
    const int u = line % L, v = line / L;
    const Coordinates site = axis == 0   ? Coordinates{x, u, v}
                             : axis == 1 ? Coordinates{u, x, v}
                                         : Coordinates{u, v, x};
    const Coordinates at = to_order(order, L, site);
    const std::uint32_t colour = static_cast<std::uint32_t>(L) * L * (dimension == 3 ? L : 1) / 2;
    if (order == SiteOrder::sliced) return (at.z & 1) * colour + at.x + L * (at.y + L * (at.z >> 1));
    return ((at.x + at.y + at.z) & 1) * colour + (at.x >> 1) + L / 2 * (at.y + L * at.z);
}
#endif

}  // namespace psflip
