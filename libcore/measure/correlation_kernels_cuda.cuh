#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/site_order.hpp"

namespace psflip {

/// Lattices of one, two or four replicas, whose overlaps are compared over distances. Spins are 128-bit words
/// of SpinLayout with group 1; slots of a replica follow each other, and columns are `stride` lattices apart.
/// Whole lattices.
struct CorrelationArgs {
    const uint4* replica[4];
    int replicas;  ///< 1: spins themselves, 2: overlaps of a pair, 4: of six pairs together
    SiteOrder order;
    int L, dimension, distances;  ///< at most L / 2
    std::uint32_t temperatures, stride, columns;
    std::uint32_t* counts;  ///< (1 to distances; slot; lane 128 column + bit), to which it adds, modulo 2^32
};

/// Whether four replicas of this size are counted together.
bool counts_four_replicas(int L, int distances);

/// Adds the number of sites i, axes and pairs of replicas for which the overlaps at i and at the site k
/// further along the axis differ.
void count_correlations(const CorrelationArgs& args, cudaStream_t stream);

}  // namespace psflip
