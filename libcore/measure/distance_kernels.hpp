// Declares the CPU kernels that compare overlaps (or spins) at two sites a distance apart, 128 realizations
// at a time.
#pragma once

#include <cstdint>

#include "lattice/layout.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Compares configurations of one lattice group (4 temperatures x 128 realizations) without unpacking spins.
/// Configuration a is compared with one or three configurations b. For one b, d = s^a xor s^b, and counts[0]
/// is the number of sites with d = 1. Let j be the site k further along an axis than site i, with k = 1, ...,
/// distances (at most L / 2). counts[k] is the number of pairs (i, axis) for which d differs between i and j.
/// For k = 1, absent bonds are not counted. For three b, counts[k] for k > 0 is the sum over the six pairs of
/// the four configurations, and counts[0] has no meaning. In a slab, the task counts own sites and the axes
/// whose lines lie in planes: x and y in the standard order, none in the sliced order. With `halo`, the task
/// counts bonds along all axes instead, for distance 1.
struct DistanceTask {
    HeldLattice lattice;
    const std::uint64_t* a;     ///< group of SpinLayout
    int others;                 ///< 1 or 3
    const std::uint64_t* b[3];  ///< `others` configurations; nullptr: all spins are +1
    /// Scratch memory of the size of `others` groups. Afterwards it holds d of the own sites and, with
    /// `halo`, of the plane above them: (other; place; slot 4; half of the column). The place is x + L (y + L
    /// z). In a slab, the place is u + L (v + L w), with w from the first own plane on.
    std::uint64_t* difference;
    int distances;
    std::int32_t* counts;  ///< out: (0 to distances; slot 4; realization 128), modulo 2^32
    int dimension = 3;
    const std::uint64_t* absent = nullptr;  ///< words of CouplingLayout; nullptr: no bond is absent
    bool halo = false;                      ///< of a slab: the nearest halo plane above is up to date
};

/// Counts along lines that go through all slabs, for k = 1, ..., distances. `difference` has d of whole
/// lines: (other; plane; line; slot 4; half of the column).
struct LineTask {
    int L, others;
    std::int64_t lines;
    const std::uint64_t* difference;
    int distances;
    std::int32_t* counts;  ///< DistanceTask::counts, to which the task adds
};

/// Holds the kernels of one SIMD level. Every level gives equal counts.
struct DistanceKernels {
    void (*count)(const DistanceTask&);
    void (*count_lines)(const LineTask&);

    static const DistanceKernels scalar, avx2, avx512;
};

/// Returns the kernels of a SIMD level, which the processor must have.
inline const DistanceKernels& distance_kernels(SimdLevel level) {
    return kernels_of<DistanceKernels>(level);
}

}  // namespace psflip
