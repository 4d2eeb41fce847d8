#pragma once

#include "lattice/geometry_cuda.cuh"

namespace psflip {

// The gauge of the resident, the fused and the tiled kernel. Turning spins over, and the bonds between those
// that are turned and those that are not, leaves energies as they are. Here every bond along z becomes +1 but
// one of each column of sites along z, its seam, which becomes the product of them all. Once for host and
// device.

/// Position of a site of a whole lattice.
PSFLIP_HD unsigned position_of(const Geometry& g, unsigned x, unsigned y, unsigned z) {
    return ((x + y + z) % 2 ? g.colour_sites : 0u) + g.half * (y + g.L * z) + x / 2;
}

/// What the spins of the column at (x, y) are turned over by, a word for each site of the lattice, from
/// their couplings along z and with the seam below plane `first`. Returns the seam.
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

/// The plane below which a column of sites at y has its seam, in slabs of `depth` planes: the first of a
/// slab; every slab has the seams of as many rows.
PSFLIP_HD unsigned seam_plane(unsigned y, unsigned depth) {
    return y / depth * depth;
}

/// The seam of the column at (x, y) and what its spins are turned over by, from its couplings; `along_z` and
/// `turn` have a word for each site of the lattice, and so has `seam`, of which the two sites that the seam
/// binds are written.
template <class Word>
PSFLIP_HD void gauge_column(const Geometry& g, unsigned x, unsigned y, unsigned depth, const Word* along_z,
                            Word* turn, Word* seam) {
    const unsigned first = seam_plane(y, depth);
    seam[position_of(g, x, y, first)] = seam[position_of(g, x, y, (first + g.L - 1) % g.L)] =
        turn_column(g, x, y, first, along_z, turn);
}

/// Whether the seam is between a site in row y of a slab's end plane and the slab beyond.
PSFLIP_HD bool at_seam(const Geometry& slab, unsigned first_plane, unsigned y, bool last) {
    const unsigned next = first_plane + slab.depth, above = next == slab.L ? 0u : next;
    return y - (last ? above : first_plane) < slab.depth;
}

/// In the last plane the neighbours in +z and -z change places, so that the one beyond an end of a slab of
/// two planes and more is the sixth.
PSFLIP_HD void end_last(Neighbours& n, bool last) {
    const unsigned up = n.site[2], down = n.site[5];
    n.site[2] = last ? down : up;
    n.site[5] = last ? up : down;
}

}  // namespace psflip
