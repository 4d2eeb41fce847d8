#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "measure/measurement.hpp"
#include "sweep/geometry_cuda.cuh"

namespace psflip {

/// Sums in device memory, (bin, component, temperature, lane) with lane = 128 column + bit, and the histogram
/// (temperature, histogram bin, lane).
struct DeviceSums {
    std::int64_t* integers[n_integer_sums];
    double* reals[n_real_sums];
    std::uint32_t* histogram;
    std::int64_t lanes;
    int temperatures, histogram_bins;
    int bin;  ///< the one that takes this measurement
};

/// The sites that differ between replica a and b in every plane of every axis, for columns [0, columns)
/// counted from the pointers: counts (column, slot, axis, plane, lane) of 128 lanes. Slots of one replica
/// follow each other; columns are `stride` lattices apart.
struct PlaneArgs {
    Geometry geometry;
    const uint4* a;
    const uint4* b;
    std::uint32_t temperatures, stride, columns;
};
void count_planes(const PlaneArgs& args, std::int32_t* counts, cudaStream_t stream);

/// Adds the moments of replica pair `pair` (one of `pairs`) of `columns` columns from `first_column` on to
/// the sums. planes: from count_planes; links: unsatisfied bonds of a ^ b (column, slot, lane); table:
/// fourier_table.
void add_moments(const DeviceSums& sums, int L, int pair, int pairs, std::int64_t first_column,
                 std::int64_t columns, const std::int32_t* planes, const std::int32_t* links,
                 const double* table, cudaStream_t stream);

/// Adds E and E^2 of all lattices; energy (column, replica, slot, lane).
void add_energies(const DeviceSums& sums, int replicas, const std::int32_t* energy, cudaStream_t stream);

/// Adds the slot of every walker; walker (column, replica, slot, lane): the walker at each slot.
void add_walkers(const DeviceSums& sums, int replicas, const std::uint8_t* walker, cudaStream_t stream);

}  // namespace psflip
