// Declares the CPU kernels that count overlaps and links and compute their moments, 128 realizations at a
// time.
#pragma once

#include <cstdint>

#include "lattice/layout.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Counts the overlap of two replicas of one lattice group (4 temperatures x 128 realizations) without
/// unpacking spins. With d = s^a xor s^b, the task counts the sites with d = 1 in each plane, and the present
/// bonds whose ends differ in d. In two dimensions, a plane is a line of L sites with constant x or y. In a
/// slab, the task counts the slab's sites and the bonds of its red sites, because every bond has one red end.
/// Planes are numbered as in the whole lattice.
struct OverlapTask {
    HeldLattice lattice;
    const std::uint64_t* a;     ///< group of SpinLayout of replica a
    const std::uint64_t* b;     ///< group of replica b
    std::uint64_t* difference;  ///< scratch memory of the size of a group
    std::int32_t* planes;       ///< out: (axis x, y, z, then diagonal; plane L; slot 4; realization 128)
    std::int32_t* links;  ///< out: (slot 4; realization 128), modulo 2^32; nullptr: links are not counted
    int dimension = 3;
    const std::uint64_t* absent = nullptr;  ///< words of CouplingLayout; nullptr: no bond is absent
    bool diagonals = false;                 ///< also counts the diagonal planes of measure/replicon.hpp
};

/// Holds the moments of the overlap (OverlapMoments) of the 128 realizations of one slot.
struct LaneMoments {
    std::int64_t overlap[128];
    double overlap2[128], overlap4[128], kmin[3][128];
};

/// Computes LaneMoments from the counts of an OverlapTask.
struct MomentTask {
    int L;
    const double* fourier;       ///< fourier_table
    const std::int32_t* planes;  ///< OverlapTask::planes, advanced to the slot: + 128 slot
    LaneMoments* moments;        ///< out
    int dimension = 3;
};

/// Computes modes of the overlap of the 128 realizations of one slot, from counts of planes across the axes
/// and diagonals.
struct ModeTask {
    int L;
    const double* fourier;
    const std::int32_t* planes;  ///< as MomentTask
    double* modes;  ///< out: (mode of measure/replicon.hpp; real and imaginary part; realization 128)
    int dimension = 3;
};

/// Computes chi_R / N of the 128 realizations of one slot, from the modes of all pairs of replicas.
struct RepliconTask {
    int L, replicas;
    const double* modes;  ///< (pair; mode; real and imaginary part; realization 128)
    double* replicon;     ///< out: (k = 0, mean over the axes, mean over the diagonals; realization 128)
    int dimension = 3;
};

/// Holds the kernels of one SIMD level. Every level gives equal bits.
struct OverlapKernels {
    void (*count)(const OverlapTask&);
    void (*moments)(const MomentTask&);
    void (*modes)(const ModeTask&);
    void (*replicon)(const RepliconTask&);

    static const OverlapKernels scalar, avx2, avx512;
};

/// Returns the kernels of a SIMD level, which the processor must have.
inline const OverlapKernels& overlap_kernels(SimdLevel level) {
    return kernels_of<OverlapKernels>(level);
}

}  // namespace psflip
