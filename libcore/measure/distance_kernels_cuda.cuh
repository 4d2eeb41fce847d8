#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/site_order.hpp"

namespace psflip {

/// Two configurations of the lattices of one replica, compared as measure/distance_kernels.hpp says. Spins
/// are 128-bit words of SpinLayout with group 1; slots of a replica follow each other, and columns are
/// `stride` lattices apart. Whole lattices.
struct DistanceArgs {
    const uint4* a;
    const uint4* b;       ///< nullptr: spins all up
    const uint4* absent;  ///< absent bonds, words of CouplingLayout, or nullptr: every bond is there
    SiteOrder order;
    int L, dimension, distances;
    std::uint32_t temperatures, stride, columns;
    std::uint32_t* counts;  ///< (0 to distances; slot; lane 128 column + bit), to which it adds, modulo 2^32
};
void count_distances(const DistanceArgs& args, cudaStream_t stream);

}  // namespace psflip
