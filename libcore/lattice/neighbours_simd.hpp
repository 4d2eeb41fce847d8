#pragma once

// Finds rows of sites and their neighbours for sweeps on CPUs.

#include "lattice/layout.hpp"
#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Describes a row of sites of one colour. `own` is the index in memory of its first site. x_plus to z_minus
/// are the indices of the first sites of the rows (of the other colour) that hold the neighbours. Two
/// dimensions use one plane and no neighbours along z.
struct Row {
    std::int64_t own, x_plus, x_minus, y_plus, y_minus, z_plus, z_minus;
    bool plus_next,
        minus_previous;        ///< the +x neighbour of site h of the row is at h + 1, not h; -x: at h - 1
    int v, z;                  ///< v of the row, and z of the first site
    std::uint32_t first_site;  ///< index x + L (y + L z) of the first site
};

inline constexpr int chunk_sites = 128;

/// Describes the rows of a lattice, and the planes to update.
struct Lattice {
    HeldLattice held;
    int L, length, begin, end, step;  ///< length of a row; planes begin to end - 1 are updated
    std::int64_t colour_sites;

    explicit Lattice(const HeldLattice& h) : Lattice(h, h.begin, h.end) {}
    Lattice(const HeldLattice& h, int begin_, int end_)
        : held(h),
          L(h.L),
          length(h.sliced() ? h.L : h.L / 2),
          begin(begin_),
          end(end_),
          step(h.sliced() ? 2 : 1),
          colour_sites(h.colour_sites()) {}

    /// Returns the first plane with sites of this colour.
    int first_plane(int colour) const { return held.sliced() ? begin + ((begin ^ colour) & 1) : begin; }

    Row row(int colour, int v, int w) const {
        const int up = w + 1 == held.depth ? 0 : w + 1, down = w == 0 ? held.depth - 1 : w - 1,
                  next = v + 1 == L ? 0 : v + 1, previous = v == 0 ? L - 1 : v - 1;
        return held.sliced() ? sliced_row(colour, v, w, {up, down, next, previous})
                             : standard_row(colour, v, w, {up, down, next, previous});
    }
    /// Returns the index x + L (y + L z) of the h-th site of a row.
    std::uint32_t site(const Row& row, int h) const {
        if (!held.sliced()) return row.first_site + 2 * static_cast<std::uint32_t>(h);
        const int y = row.v + h >= L ? row.v + h - L : row.v + h;
        return static_cast<std::uint32_t>(h + L * (y + std::int64_t{L} * row.z));
    }
    /// Returns the number of rows of a chunk: an even number, or 1. The random numbers of a chunk are made
    /// together. Rows longer than chunk_sites are cut.
    int rows_per_chunk() const {
        const int rows = chunk_sites / length;
        return rows >= L ? L : rows > 1 ? rows & ~1 : 1;
    }

  private:
    struct Near {
        int up, down, next, previous;  ///< planes, rows
    };
    Row standard_row(int colour, int v, int w, const Near& near) const {
        const auto at = [&](int c, int vv, int ww) {
            return c * colour_sites + std::int64_t{length} * (vv + std::int64_t{L} * ww);
        };
        const int other = 1 - colour, z = held.plane(w);
        const bool odd = ((colour + v + w) & 1) != 0;
        const std::int64_t same = at(other, v, w);
        return {at(colour, v, w),
                same,
                same,
                at(other, near.next, w),
                at(other, near.previous, w),
                at(other, v, near.up),
                at(other, v, near.down),
                odd,
                !odd,
                v,
                z,
                static_cast<std::uint32_t>(L * (v + std::int64_t{L} * z) + odd)};
    }
    /// Returns a row of the sliced order, see SiteOrder.
    Row sliced_row(int colour, int v, int w, const Near& near) const {
        const auto at = [&](int c, int vv, int ww) {
            return c * colour_sites + L * (vv + std::int64_t{L} * (ww >> 1));
        };
        const int other = 1 - colour, z = wrapped(held.plane(w) + v, L);
        const std::int64_t up_back = at(other, near.previous, near.up),
                           down_on = at(other, near.next, near.down);
        return {at(colour, v, w),
                up_back,
                down_on,
                down_on,
                up_back,
                at(other, v, near.up),
                at(other, v, near.down),
                true,
                true,
                v,
                z,
                static_cast<std::uint32_t>(L * (v + std::int64_t{L} * z))};
    }
};

/// Selects consecutive rows of one plane and colour in one sweep, or a piece of one row. A chunk has at most
/// chunk_sites sites. `next` runs through rows, planes, colours and sweeps.
struct Chunk {
    std::int64_t half_sweep;  ///< 2 sweep + colour
    int colour, w, v_begin = 0, v_end;
    int h_begin = 0, h_end;  ///< sites of each row

    Chunk(const Lattice& lattice, std::int64_t first_half_sweep)
        : half_sweep(first_half_sweep),
          colour(static_cast<int>(half_sweep & 1)),
          w(lattice.first_plane(colour)),
          v_end(lattice.rows_per_chunk()),
          h_end(end_after(lattice, 0)) {}

    std::int64_t sweep() const { return half_sweep >> 1; }
    bool ends_colour(const Lattice& lattice) const {
        return v_end == lattice.L && w + lattice.step >= lattice.end && h_end == lattice.length;
    }
    int sites() const { return (v_end - v_begin) * (h_end - h_begin); }

    void next(const Lattice& lattice) {
        h_begin = h_end == lattice.length ? 0 : h_end;
        h_end = end_after(lattice, h_begin);
        if (h_begin == 0) next_rows(lattice);
    }

  private:
    static int end_after(const Lattice& lattice, int begin) {
        return begin + chunk_sites < lattice.length ? begin + chunk_sites : lattice.length;
    }
    void next_rows(const Lattice& lattice) {
        v_begin = v_end;
        if (v_begin == lattice.L) {
            v_begin = 0;
            w += lattice.step;
            if (w >= lattice.end) {
                colour = static_cast<int>(++half_sweep & 1);
                w = lattice.first_plane(colour);
            }
        }
        const int rows = lattice.rows_per_chunk();
        v_end = v_begin + rows < lattice.L ? v_begin + rows : lattice.L;
    }
};

/// Computes one word for each bond of the h-th site of a row, in the order +x, -x, +y, -y, +z, -z.
/// bond(neighbour, direction, start) returns the word of a bond. `start` is the site from which the bond runs
/// in positive direction.
template <int Degree, class Bond>
inline void bond_words(const Row& row, int h, int length, Bond bond, Word (&e)[Degree]) {
    static_assert(Degree == 4 || Degree == 6);
    const int next = h + 1 == length ? 0 : h + 1, previous = h == 0 ? length - 1 : h - 1;
    const std::int64_t site = row.own + h;
    const std::int64_t x_plus = row.x_plus + (row.plus_next ? next : h);
    const std::int64_t x_minus = row.x_minus + (row.minus_previous ? previous : h);
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
