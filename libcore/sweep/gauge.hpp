#pragma once

#include "lattice/geometry_cuda.cuh"

namespace psflip {

// Defines the gauge of the resident, fused and tiled kernels, for host and device. The gauge turns some spins
// over. It also changes the sign of every bond between a turned spin and a spin that is not turned, so
// energies stay unchanged. Every bond along z becomes +1, except for one bond in each line of sites along z.
// This bond, the seam, becomes the product of all bonds of the line. In squares, these are bonds along y.

/// Returns the index of a site in the standard order, among the planes in memory. The first plane in memory
/// is even in the lattice.
PSFLIP_HD unsigned position_of(const Geometry& g, unsigned x, unsigned y, unsigned z) {
    return ((x + y + z) % 2 ? g.colour_sites : 0u) + g.half * (y + g.L * z) + x / 2;
}

/// Sets `turn` for the line of sites at (x, y) from its couplings along z, and returns its seam. A set bit of
/// `turn` means that the spin is turned over. The seam is the bond below plane `first`. `turn` and `along_z`
/// have a word for each site of the lattice.
template <class Word>
PSFLIP_HD Word turn_column(const Geometry& g, unsigned x, unsigned y, unsigned first, const Word* along_z,
                           Word* turn) {
    Word product{};
    for (unsigned k = 0; k < g.L; ++k) {
        const unsigned at = position_of(g, x, y, (first + k) % g.L);
        turn[at] = product;
        product = product ^ along_z[at];
    }
    return product;
}

/// Holds products of couplings along z in a line of sites, for the gauge of a slab. A whole lattice counts as
/// the slab of all planes without halos. All seams are between the last plane of the lattice and the first,
/// so the gauge does not depend on the slabs.
template <class Word>
struct LineProducts {
    Word below;  ///< product over the planes of the lattice below the first own plane
    Word all;    ///< product over all planes, which is the seam
};

/// Returns the product of the couplings along z in the own planes of the line of sites at (x, y). `along_z`
/// has a word for each site in memory.
template <class Word>
PSFLIP_HD Word product_of_line(const Geometry& g, const OwnPlanes& own, unsigned x, unsigned y,
                               const Word* along_z) {
    Word product{};
    for (unsigned k = 0; k < own.planes; ++k)
        product = product ^ along_z[position_of(g, x, y, own.first + k)];
    return product;
}

/// Returns the gauged coupling along z of plane w in memory.
template <class Word>
PSFLIP_HD Word gauged_along_z(const Geometry& g, const OwnPlanes& own, unsigned w, const Word& seam) {
    return own.plane(g, w) + 1 == g.L ? seam : Word{};
}

/// Sets `turn` for the line of sites at (x, y), in all planes in memory. `along_z` and `turn` have a word for
/// each site in memory.
template <class Word>
PSFLIP_HD void turn_line(const Geometry& g, const OwnPlanes& own, unsigned x, unsigned y,
                         const LineProducts<Word>& of, const Word* along_z, Word* turn) {
    Word now = of.below;
    for (unsigned w = 0; w < own.first; ++w)
        now = now ^ along_z[position_of(g, x, y, w)] ^ gauged_along_z(g, own, w, of.all);
    for (unsigned w = 0; w < g.depth; ++w) {
        const unsigned at = position_of(g, x, y, w);
        turn[at] = now;
        now = now ^ along_z[at] ^ gauged_along_z(g, own, w, of.all);
    }
}

/// Replaces the couplings of the site at (x, y) in plane w in memory by gauged couplings. `couplings` are
/// (direction, site), and `seam` is LineProducts::all.
template <class Word>
PSFLIP_HD void gauge_bonds(const Geometry& g, const OwnPlanes& own, unsigned x, unsigned y, unsigned w,
                           const Word& seam, const Word* turn, Word* couplings) {
    const unsigned at = position_of(g, x, y, w), right = position_of(g, x + 1 == g.L ? 0 : x + 1, y, w),
                   up = position_of(g, x, y + 1 == g.L ? 0 : y + 1, w);
    couplings[at] = couplings[at] ^ turn[at] ^ turn[right];
    Word* const along_y = couplings + g.sites;
    along_y[at] = along_y[at] ^ turn[at] ^ turn[up];
    along_y[g.sites + at] = gauged_along_z(g, own, w, seam);
}

/// Gauges the bonds along y in the line of sites at x of a square, and sets `turn` for this line. The bonds
/// become +1, except for the bond from the last row to the first, the seam. `along_y` and `turn` have a word
/// for each site.
template <class Word>
PSFLIP_HD void gauge_square_line(const Geometry& g, unsigned x, Word* along_y, Word* turn) {
    Word product{};
    for (unsigned y = 0; y < g.L; ++y) {
        const unsigned at = position_of(g, x, y, 0);
        turn[at] = product;
        product = product ^ along_y[at];
        along_y[at] = y + 1 == g.L ? product : Word{};
    }
}

/// Gauges the bond along x of the site at (x, y) of a square.
template <class Word>
PSFLIP_HD void gauge_square_bond(const Geometry& g, unsigned x, unsigned y, const Word* turn, Word* along_x) {
    const unsigned at = position_of(g, x, y, 0), right = position_of(g, x + 1 == g.L ? 0 : x + 1, y, 0);
    along_x[at] = along_x[at] ^ turn[at] ^ turn[right];
}

/// Returns the plane below which the lines of sites in row y have their seam, for slabs of `depth` planes.
/// This plane is the first plane of a slab, and `depth` rows have their seams there.
PSFLIP_HD unsigned seam_plane(unsigned y, unsigned depth) {
    return y / depth * depth;
}

/// Sets `seam` and `turn` for the line of sites at (x, y) from its couplings along z. All arrays have a word
/// for each site of the lattice. `seam` is written at both sites of the seam.
template <class Word>
PSFLIP_HD void gauge_column(const Geometry& g, unsigned x, unsigned y, unsigned depth, const Word* along_z,
                            Word* turn, Word* seam) {
    const unsigned first = seam_plane(y, depth);
    seam[position_of(g, x, y, first)] = seam[position_of(g, x, y, (first + g.L - 1) % g.L)] =
        turn_column(g, x, y, first, along_z, turn);
}

/// Returns whether the bond from a site in row y of an end plane of a slab to the adjacent slab is a seam.
/// last: the end plane is the last plane of the slab; otherwise it is the first.
PSFLIP_HD bool at_seam(const Geometry& slab, unsigned first_plane, unsigned y, bool last) {
    const unsigned next = first_plane + slab.depth, above = next == slab.L ? 0u : next;
    return y - (last ? above : first_plane) < slab.depth;
}

/// If the site is in the last plane of a slab, exchanges its neighbours in +z and -z (site[2] and site[5]).
/// For sites of the first and last plane, site[5] then belongs to the neighbour outside the slab.
PSFLIP_HD void end_last(Neighbours& n, bool last) {
    const unsigned up = n.site[2], down = n.site[5];
    n.site[2] = last ? down : up;
    n.site[5] = last ? up : down;
}

}  // namespace psflip
