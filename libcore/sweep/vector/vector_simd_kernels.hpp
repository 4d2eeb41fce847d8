#pragma once

#include <cstdint>
#include <type_traits>

#include "sweep/vector/local_field.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Integers as wide as T.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Describes some lattices next to each other in memory. Each colour and component has an array of rows (z L
/// + y) of `stride` columns; a row has the lattices' half rows one after another. The site with x = 2h +
/// ((colour + y + z) & 1) of lattice i has the column i L/2 + h. Lanes of a register are neighbouring
/// columns, of several lattices if rows are short. `stride` is a multiple of the widest register, so nothing
/// is cut off. The columns after the last lattice have numbers without meaning.
template <class T>
struct VectorGroupView {
    int L, rows;               ///< L times the planes in memory
    int lowest_plane;          ///< z of the first plane in memory, even; below 0 for halos of the lowest slab
    bool is_slab;              ///< the neighbours of own planes along z are in memory next to them
    std::int64_t stride;       ///< columns of a row
    T* spins[2][3];            ///< (colour, component)
    const T* species[2];       ///< 0 or 1
    const T* couplings[2][3];  ///< (colour, direction): of the bond to the site one step up; 0 if it is
                               ///< absent
    const T* zeros;            ///< a row of zeros, for neighbours behind open boundaries; otherwise null
    const LaneOf<T>*twice_h, *fields, *pack_purpose;  ///< (column): 2h; words 2, 3 of Philox counters
    const T *beta, *width;                            ///< (column)
};

/// Describes an update of some rows of a colour: half a sweep, or a part of it.
template <class T>
struct VectorTask {
    VectorGroupView<T> group;
    VectorConstants<T> constants;
    VectorTerms terms;
    VectorUpdate update;
    int components;  ///< 1 or 3
    int colour, first_row, end_row;
    int tile, tile_colour;  ///< edge of tiles, and colour of the tiles with these sites; edge 0: all sites
    std::uint64_t key, sweep;
    LaneOf<T>* renewed;  ///< (column): the task adds the number of renewed spins
};

/// Describes sums over some rows of both colours.
template <class T>
struct VectorSumTask {
    VectorTask<T> rows;  ///< all but colour, update, key, sweep and renewed
    VectorUnits units;
    /// (sum, column): for each number x, the task adds bits(x + offset) of FixedPoint.
    std::uint64_t* sums;
};

/// Holds the kernels of one instruction set.
struct VectorKernels {
    void (*sweep_float)(const VectorTask<float>&);
    void (*sweep_double)(const VectorTask<double>&);
    void (*sums_float)(const VectorSumTask<float>&);
    void (*sums_double)(const VectorSumTask<double>&);

    void sweep(const VectorTask<float>& task) const { sweep_float(task); }
    void sweep(const VectorTask<double>& task) const { sweep_double(task); }
    void sums(const VectorSumTask<float>& task) const { sums_float(task); }
    void sums(const VectorSumTask<double>& task) const { sums_double(task); }

    static const VectorKernels scalar, avx2, avx512;
};

/// A number of columns. Every stride is a multiple of it. Arrays have vector_padding + L/2 columns more at
/// both ends.
inline constexpr int vector_padding = 16;

/// Returns the kernels of a SIMD level, which the processor must have.
inline const VectorKernels& vector_kernels(SimdLevel level) {
    return kernels_of<VectorKernels>(level);
}

}  // namespace psflip
