#pragma once

// Updates spins of three components in shared memory: four sites of a row, a quad, at once.

#include "sweep/vector/vector_boxes.hpp"
#include "sweep/vector/vector_lattices_cuda.cuh"
#include "sweep/vector/vector_update_cuda.cuh"

namespace psflip {

/// Holds one component of the spins of a quad.
template <class T>
using Quad = SideBySide<T, quad_sites>;
template <class T>
inline constexpr unsigned quad_bytes = 3 * sizeof(Quad<T>);

/// Names quads of the other colour in shared memory by the bytes before them. A quad has its three components
/// one after the other.
struct QuadNeighbours {
    unsigned row;   ///< at the same place in the row
    unsigned side;  ///< first site of `row`'s neighbour to the right (odd), or last site to the left (even)
    unsigned down, up, below, above;  ///< along y and z
};

/// Returns the bytes from a quad to its QuadNeighbours::side. h: quad of a row of row_quads quads.
template <class T>
__device__ __forceinline__ unsigned bytes_to_side(bool odd, unsigned h, unsigned row_quads) {
    const unsigned last = (row_quads - 1) * quad_bytes<T>;
    if (odd) return h + 1 == row_quads ? 0u - last : quad_bytes<T>;
    return (h == 0 ? last : 0u - quad_bytes<T>)+(quad_sites - 1) * sizeof(T);
}

/// Updates the spins (component) of a quad with one exchange constant. `odd`: its sites have odd x. Returns
/// the number of renewed spins.
template <VectorUpdate update, class T, class Words>
__device__ __forceinline__ unsigned update_quad(const unsigned char* memory, const QuadNeighbours& of,
                                                bool odd, T exchange, T beta, T width, const Words& words,
                                                Quad<T> (&spins)[3]) {
    const auto at = [&](unsigned bytes, int k) {
        return reinterpret_cast<const Quad<T>*>(memory + bytes)[k];
    };
    T sums[3][quad_sites];
    for (int k = 0; k < 3; ++k) {
        const Quad<T> row = at(of.row, k);
        const T end = *reinterpret_cast<const T*>(memory + of.side + k * sizeof(Quad<T>));
        for (int j = 0; j < quad_sites; ++j) {
            const T right = j + 1 < quad_sites ? row.of[(j + 1) % quad_sites] : end,
                    left = j > 0 ? row.of[(j + quad_sites - 1) % quad_sites] : end;
            sums[k][j] = T(0.0) + row.of[j] + (odd ? right : left);
        }
    }
    const auto add = [&](unsigned neighbour) {
        for (int k = 0; k < 3; ++k) {
            const Quad<T> quad = at(neighbour, k);
            for (int j = 0; j < quad_sites; ++j) sums[k][j] = sums[k][j] + quad.of[j];
        }
    };
    add(of.down), add(of.up), add(of.below), add(of.above);
    VectorSite<T, 3> sites[quad_sites];
    Spin<T, 3> updated[quad_sites];
    for (int j = 0; j < quad_sites; ++j)
        sites[j] = {{spins[0].of[j], spins[1].of[j], spins[2].of[j]},
                    {exchange * sums[0][j], exchange * sums[1][j], exchange * sums[2][j]},
                    T(0.0),
                    beta,
                    width};
    const unsigned renewed = update_spins<update, false>(sites, words, updated);
    for (int j = 0; j < quad_sites; ++j)
        for (int k = 0; k < 3; ++k) spins[k].of[j] = updated[j].c[k];
    return renewed;
}

}  // namespace psflip
