// Declares the GPU kernels of measurements. All pointers refer to device memory. The functions queue their
// work into the given stream and return at once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"
#include "measure/replicon.hpp"
#include "measure/sums.hpp"
#include "sweep/clusters/cluster_sums.hpp"

namespace psflip {

/// Points to sums: (bin, component, temperature, lane) with lane = 128 column + bit, histograms (temperature,
/// histogram bin, lane), and lowest energies (bin, replica, lane). Pointers to arrays that are not measured
/// are null. Padding lanes have sums without meaning.
struct DeviceSums {
    std::int64_t* integers[n_sums];
    double* reals[n_sums];
    std::uint32_t *histogram, *link_histogram;
    std::int64_t *lowest_energy, *lowest_count;
    std::int64_t lanes;
    int temperatures, histogram_bins;
    int bin;  ///< bin that takes this measurement
};

/// Points to counts of one replica pair: differing links, modulo 2^32, (column, slot, lane), and differing
/// sites of plane x across an axis or diagonal, (column, slot, family, x, lane).
/// Plane counts are uint16 if one warp counts a plane. Otherwise plane counts are int32. Several warps add to
/// links and to int32 plane counts. These must be 0 before count_overlaps, and the functions that add them to
/// sums leave them 0.
struct OverlapCounts {
    std::int32_t* links;
    void* planes;
    bool diagonals = false;
    bool of_slabs = false;  ///< all counts are int32, of the own sites until they are summed over the ranks

    /// Returns whether plane counts are uint16.
    bool whole_planes(int L, int dimension) const { return !of_slabs && (dimension == 3 ? L * L : L) <= 512; }
    /// Returns the bytes of `planes` for one column and slot.
    std::int64_t plane_bytes(int L, int dimension) const {
        return plane_families(dimension, diagonals) * std::int64_t{L} * 128 *
               (whole_planes(L, dimension) ? 2 : 4);
    }
};

/// Points to spins of two replicas, or of one, in the first of `columns` columns. Slots of a replica follow
/// each other, and columns are `stride` lattices apart. In two dimensions the geometry has one plane.
struct OverlapArgs {
    Geometry geometry;
    const uint4* a;
    const uint4* b;
    std::uint32_t temperatures, stride, columns;
    OverlapCounts counts;
};
/// Counts the sites and bonds that differ between `a` and `b`. If b is nullptr, counts the spins of `a` that
/// are -1, without links. absent: words of absent bonds of the same columns (CouplingLayout), whose links are
/// not counted, or nullptr.
void count_overlaps(const OverlapArgs& args, const uint4* absent, cudaStream_t stream);

/// Counts as count_overlaps for the own sites of a slab whose halos are up to date, or for whole lattices in
/// any site order.
void count_overlaps_of_slab(const OverlapArgs& args, const OwnPlanes& own, SiteOrder order,
                            const uint4* absent, cudaStream_t stream);

/// Describes what a measurement adds for `columns` columns from `first_column` on: moments of replica pair
/// `pair` from its counts, and E, E^2, walkers and clusters of `replicas` replicas. `pairs` is the number of
/// pairs and may be 0. `replicas` is 0 if another pair has added the energies.
struct SumArgs {
    DeviceSums sums;
    std::int64_t first_column, columns;
    int L, pair, pairs, first, second;  ///< first and second: the replicas of the pair
    OverlapCounts counts;
    const double* table;         ///< fourier_table
    int replicas, all_replicas;  ///< all_replicas: replicas in `energy` and `walker`
    const std::int32_t* energy;  ///< (column, replica, slot, lane), in units of Shape::energy_unit
    const std::uint8_t* walker;  ///< (column, replica, slot, lane): the walker at each slot
    int dimension, energy_unit;
    const std::int32_t* bonds;    ///< (lane) number of present bonds; nullptr if no bond is absent
    const ClusterSums* clusters;  ///< (column, replica, slot, lane); nullptr if they are not measured
};
/// Adds the moments and energies of `args` to its sums. Leaves int32 counts 0.
void add_sums(const SumArgs& args, cudaStream_t stream);
/// Stores the modes of the pair of `args` from its counts, (column, slot, pair, mode, real and imaginary
/// part, lane). Call it before add_sums. Leaves int32 counts of diagonals 0.
void store_modes(const SumArgs& args, double* modes, cudaStream_t stream);
/// Adds chi_R from the modes of all pairs of `replicas` replicas.
void add_replicon(const SumArgs& args, int replicas, const double* modes, cudaStream_t stream);
/// Adds moments of the magnetisation of `replica` from its counts and, in a field, E M.
void add_magnetisations(const SumArgs& args, int replica, cudaStream_t stream);

#ifdef __CUDACC__
/// Returns in each bit the bit of b if the mask is 1, otherwise the bit of a.
__device__ __forceinline__ uint4 choose(const uint4& mask, const uint4& a, const uint4& b) {
    const auto one = [](unsigned m, unsigned x, unsigned y) { return (x & ~m) | (y & m); };
    return {one(mask.x, a.x, b.x), one(mask.y, a.y, b.y), one(mask.z, a.z, b.z), one(mask.w, a.w, b.w)};
}
#endif

}  // namespace psflip
