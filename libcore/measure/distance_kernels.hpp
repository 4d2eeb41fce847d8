#pragma once

#include <cstdint>

#include "lattice/layout.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Configurations of one lattice group (4 temperatures x 128 realizations), compared without unpacking spins.
/// With one other, d = s^a xor s^b: counts[0] is the number of sites with d = 1, counts[k] that of sites i
/// and axes where d_i and d of the site k further along the axis differ, k = 1, ..., distances, at most L /
/// 2; of k = 1 without bonds that are absent. With three others counts[k] is the sum over the six pairs of
/// the four, k > 0, and counts[0] has no meaning. Of a slab (standard order): its own sites, and axes x and
/// y; z only with `halo`, which takes distance 1 alone.
struct DistanceTask {
    HeldLattice lattice;
    const std::uint64_t* a;     ///< SpinLayout group
    int others;                 ///< 1 or 3
    const std::uint64_t* b[3];  ///< others, or nullptr: spins all up
    /// Scratch of the size of as many groups. Afterwards d of the own sites, and with `halo` of the plane
    /// above them: (other; x + L (y + L z) from the first own plane on; slot 4; half of the column).
    std::uint64_t* difference;
    int distances;
    std::int32_t* counts;  ///< out: (0 to distances; slot 4; realization 128), modulo 2^32
    int dimension = 3;
    const std::uint64_t* absent = nullptr;  ///< absent bonds as couplings; nullptr: every bond is there
    bool halo = false;                      ///< of a slab: the nearest halo plane above is fresh
};

/// The axis z of slabs, for k = 1, ..., distances: lines of L sites each, d of which are here one after the
/// other, (other; z; line; slot 4; half of the column).
struct LineTask {
    int L, others;
    std::int64_t lines;
    const std::uint64_t* difference;
    int distances;
    std::int32_t* counts;  ///< DistanceTask::counts, to which the task adds
};

struct DistanceKernels {
    void (*count)(const DistanceTask&);
    void (*count_lines)(const LineTask&);

    static const DistanceKernels scalar, avx2, avx512;
};

inline const DistanceKernels& distance_kernels(SimdLevel level) {
    return kernels_of<DistanceKernels>(level);
}

}  // namespace psflip
