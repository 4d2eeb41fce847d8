#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/site_order.hpp"

namespace psflip {

/// Lattices of one replica at two times. Spins are 128-bit words of SpinLayout with group 1; slots of a
/// replica follow each other, and columns are `stride` lattices apart. Whole lattices.
struct TwoTimeArgs {
    const uint4* a;
    const uint4* b;
    const uint4* absent;  ///< absent bonds, words of CouplingLayout, or nullptr: every bond is there
    SiteOrder order;
    int L, dimension;
    std::uint32_t temperatures, stride, columns;
    std::uint32_t* counts;  ///< (sites, bonds; slot; lane 128 column + bit), to which it adds, modulo 2^32
};

/// Adds the number of sites where the two differ, and of bonds that are there at the two ends of which their
/// product differs.
void count_two_times(const TwoTimeArgs& args, cudaStream_t stream);

}  // namespace psflip
