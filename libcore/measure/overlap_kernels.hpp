#pragma once

#include <cstdint>

#include "sweep/simd_kernels.hpp"

namespace psflip {

/// Overlap of two replicas of one lattice group (4 temperatures x 128 realizations), counted without
/// unpacking spins. With d = s^a xor s^b: numbers of sites with d = 1 in each plane, and of bonds whose ends
/// differ in d.
struct OverlapTask {
    int L;
    const std::uint64_t* a;     ///< SpinLayout group of replica a
    const std::uint64_t* b;     ///< and of replica b
    std::uint64_t* difference;  ///< scratch of the size of a group
    std::int32_t* planes;       ///< out: (axis x, y, z; plane L; slot 4; realization 128)
    std::int32_t* links;        ///< out: (slot 4; realization 128)
};

using OverlapKernel = void (*)(const OverlapTask&);

/// The kernel compiled for a level.
OverlapKernel overlap_kernel(SimdLevel level);

namespace scalar {
void count_overlap(const OverlapTask&);
}
namespace avx2 {
void count_overlap(const OverlapTask&);
}
namespace avx512 {
void count_overlap(const OverlapTask&);
}

}  // namespace psflip
