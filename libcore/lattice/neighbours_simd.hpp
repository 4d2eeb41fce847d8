#pragma once

#include "lattice/layout.hpp"
#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Checkerboard indices of the first site of a colour in a row (y, z), and of the rows of the other colour
/// that hold its neighbours. In two dimensions, three with one plane, those of z are not used.
struct Row {
    std::int64_t own, same, y_plus, y_minus, z_plus, z_minus;
    bool starts_odd;  ///< the colour's sites of this row are x = 1, 3, ...
};

inline constexpr int chunk_sites = 128;  ///< longest row in three dimensions: 128

struct Lattice {
    int L, half, depth;
    std::int64_t colour_sites;

    /// depth: L, or 1 in two dimensions.
    Lattice(int L_, int depth_)
        : L(L_), half(L_ / 2), depth(depth_), colour_sites(std::int64_t{L_} * L_ * depth_ / 2) {}

    Row row(int colour, int y, int z) const {
        const auto at = [&](int c, int yy, int zz) {
            return c * colour_sites + std::int64_t{half} * (yy + std::int64_t{L} * zz);
        };
        const int other = 1 - colour;
        return {at(colour, y, z),
                at(other, y, z),
                at(other, y + 1 == L ? 0 : y + 1, z),
                at(other, y == 0 ? L - 1 : y - 1, z),
                at(other, y, z + 1 == depth ? 0 : z + 1),
                at(other, y, z == 0 ? depth - 1 : z - 1),
                ((colour + y + z) & 1) != 0};
    }
    /// Rows whose random numbers are made at a time: an even number, or 1, of which longer rows than
    /// chunk_sites take a part.
    int rows_per_chunk() const {
        const int rows = chunk_sites / half;
        return rows >= L ? L : rows > 1 ? rows & ~1 : 1;
    }
};

/// Consecutive rows of one plane and colour in one sweep, or a part of one row; chunks run through rows,
/// planes, colours and sweeps. At most chunk_sites sites.
struct Chunk {
    std::int64_t sweep;
    int colour = 0, z = 0, y_begin = 0, y_end;
    int h_begin = 0, h_end;  ///< of each row

    Chunk(const Lattice& lattice, std::int64_t first_sweep)
        : sweep(first_sweep), y_end(lattice.rows_per_chunk()), h_end(end_after(lattice, 0)) {}

    bool ends_colour(const Lattice& lattice) const {
        return y_end == lattice.L && z + 1 == lattice.depth && h_end == lattice.half;
    }
    int sites() const { return (y_end - y_begin) * (h_end - h_begin); }

    void next(const Lattice& lattice) {
        h_begin = h_end == lattice.half ? 0 : h_end;
        h_end = end_after(lattice, h_begin);
        if (h_begin == 0) next_rows(lattice);
    }

  private:
    static int end_after(const Lattice& lattice, int begin) {
        return begin + chunk_sites < lattice.half ? begin + chunk_sites : lattice.half;
    }
    void next_rows(const Lattice& lattice) {
        y_begin = y_end;
        if (y_begin == lattice.L) {
            y_begin = 0;
            if (++z == lattice.depth) {
                z = 0;
                colour = 1 - colour;
                sweep += colour == 0;
            }
        }
        const int rows = lattice.rows_per_chunk();
        y_end = y_begin + rows < lattice.L ? y_begin + rows : lattice.L;
    }
};

/// The bond words of the h-th site of a row, four in two dimensions: bond(neighbour, direction, site that the
/// bond starts from) gives one.
template <int Degree, class Bond>
inline void bond_words(const Row& row, int h, int half, Bond bond, Word (&e)[Degree]) {
    static_assert(Degree == 4 || Degree == 6);
    const int next = h + 1 == half ? 0 : h + 1, previous = h == 0 ? half - 1 : h - 1;
    const std::int64_t site = row.own + h;
    const std::int64_t x_plus = row.same + (row.starts_odd ? next : h);
    const std::int64_t x_minus = row.same + (row.starts_odd ? h : previous);
    e[0] = bond(x_plus, 0, site);
    e[1] = bond(x_minus, 0, x_minus);
    e[2] = bond(row.y_plus + h, 1, site);
    e[3] = bond(row.y_minus + h, 1, row.y_minus + h);
    if constexpr (Degree == 6) {
        e[4] = bond(row.z_plus + h, 2, site);
        e[5] = bond(row.z_minus + h, 2, row.z_minus + h);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
