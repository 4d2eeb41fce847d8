// Declares the CPU kernels that compare sites a distance apart in one lattice with one bit per site.
#pragma once

#include <cstdint>

#include "word/simd_level.hpp"

namespace psflip {

/// Returns the number of words of a row of sites along x. The bits after the last site are 0.
inline int words_of_row(int L) {
    return (L + 63) / 64;
}

/// Counts along all axes for sites i of the rows first, ..., end - 1 of a periodic lattice. The bit d of a
/// site says whether two configurations differ there. Let j be the site k further along an axis than site i.
/// The task adds to counts[k], k = 1, ..., distances, the number of pairs (i, axis) for which d differs
/// between i and j, and to counts[0] the number of sites i with d = 1. An update of two sites costs three
/// operations on words of 512 bits.
struct SiteRowsTask {
    int L;
    int dimension;              ///< 2 or 3
    const std::uint64_t* rows;  ///< d of the whole lattice: (y + L z; word of the row)
    std::int64_t first, end;    ///< rows
    int distances;              ///< less than L
    std::int64_t* counts;       ///< (0 to distances)
};

/// Holds the kernels of one SIMD level. Every level gives equal counts.
struct SiteRowsKernels {
    void (*count)(const SiteRowsTask&);

    static const SiteRowsKernels scalar, avx2, avx512;
};

}  // namespace psflip
