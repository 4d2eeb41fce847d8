#pragma once

#include "lattice/geometry_cuda.cuh"

namespace psflip {

// Implements the site orders for kernels. Each order has these functions:
// - place(g, colour, i): the i-th site of a colour among the planes in memory
// - neighbours(g, colour, place): the indices of the site and its neighbours
// - number(g, place): the number x + L (y + L z) of the site
// - number(g, own, place): the number x + L (y + L z) of a site of a slab in the whole lattice

struct StandardOrder {
    PSFLIP_HD static Place place(const Geometry& g, unsigned colour, unsigned i) {
        return place_of(g, colour, i);
    }
    PSFLIP_HD static Neighbours neighbours(const Geometry& g, unsigned colour, const Place& p) {
        return neighbours_of(g, colour, p);
    }
    PSFLIP_HD static unsigned number(const Geometry& g, const Place& p) { return standard_site(g, p); }
    PSFLIP_HD static unsigned number(const Geometry& g, const OwnPlanes& own, const Place& p) {
        return own.standard_site(g, p);
    }
};

/// Implements the standard order for sizes for which has_exact_places is false.
struct ExactOrder : StandardOrder {
    PSFLIP_HD static Place place(const Geometry& g, unsigned colour, unsigned i) {
        const unsigned row = corrected_quotient(i, g.half, g.half_reciprocal),
                       z = quotient(row, g.L_reciprocal), y = row - z * g.L;
        return {i - row * g.half, y, z, (colour + y + z) & 1u};
    }
};

/// Implements the sliced order: planes z' of one colour, see SiteOrder. A Place holds h = x', y = y', z = z'
/// / 2, parity = colour. The neighbours +z, -y and +x are in plane z' + 1, and the neighbours -z, +y and -x
/// in plane z' - 1. One of these two planes has the index z of the site. The other plane has z + 1 for black
/// sites, or z - 1 for red sites.
struct SlicedOrder {
    PSFLIP_HD static Place place(const Geometry& g, unsigned colour, unsigned i) {
        const unsigned row = corrected_quotient(i, g.L, g.L_reciprocal), z = quotient(row, g.L_reciprocal);
        return {i - row * g.L, row - z * g.L, z, colour};
    }
    PSFLIP_HD static Neighbours neighbours(const Geometry& g, unsigned colour, const Place& p) {
        const unsigned plane = g.L * g.L, layers = g.depth / 2, other = colour ? 0u : g.colour_sites,
                       x_up = p.h + 1 == g.L ? 0 : p.h + 1, x_down = p.h == 0 ? g.L - 1 : p.h - 1,
                       y_up = (p.y + 1 == g.L ? 0 : p.y + 1) * g.L,
                       y_down = (p.y == 0 ? g.L - 1 : p.y - 1) * g.L;
        const unsigned up = colour ? (p.z + 1 == layers ? 0 : p.z + 1) : p.z,
                       down = colour ? p.z : (p.z == 0 ? layers - 1 : p.z - 1);
        const unsigned above = other + up * plane, below = other + down * plane, row = p.y * g.L;
        return {(colour ? g.colour_sites : 0u) + p.z * plane + row + p.h,
                {above + y_down + x_up, below + y_up + p.h, above + row + p.h, below + y_up + x_down,
                 above + y_down + p.h, below + row + p.h}};
    }
    PSFLIP_HD static unsigned number(const Geometry& g, const Place& p) {
        return number_from(g, 2 * p.z + p.parity, p);
    }
    PSFLIP_HD static unsigned number(const Geometry& g, const OwnPlanes& own, const Place& p) {
        const unsigned w = 2 * p.z + p.parity + own.lowest;
        return number_from(g, w >= g.L ? w - g.L : w, p);
    }

  private:
    /// Returns the number of the site with z' = w, x' = p.h and y' = p.y.
    PSFLIP_HD static unsigned number_from(const Geometry& g, unsigned w, const Place& p) {
        const auto inside = [&](unsigned a) { return a >= g.L ? a - g.L : a; };
        const unsigned y = inside(p.y + p.h), z = inside(w + p.y);
        return p.h + g.L * (y + g.L * z);
    }
};

#ifdef __CUDACC__

/// Implements the standard order with shifts and masks, for L = 2^l and whole lattices.
struct BitwiseOrder {
    __device__ __forceinline__ static unsigned log2(unsigned n) { return 31 - __clz(n); }
    __device__ __forceinline__ static Place place(const Geometry& g, unsigned colour, unsigned i) {
        const unsigned row = i >> log2(g.half), y = row & (g.L - 1), z = row >> log2(g.L);
        return {i & (g.half - 1), y, z, (colour + y + z) & 1u};
    }
    __device__ __forceinline__ static Neighbours neighbours(const Geometry& g, unsigned colour,
                                                            const Place& p) {
        const unsigned l = log2(g.L), mask = g.L - 1, other = colour ? 0u : g.colour_sites;
        const auto at = [&](unsigned h, unsigned y, unsigned z) {
            return other + ((h & (g.half - 1)) | (y & mask) << (l - 1) | (z & mask) << (2 * l - 1));
        };
        return {(colour ? g.colour_sites : 0u) + (p.h | p.y << (l - 1) | p.z << (2 * l - 1)),
                {at(p.h + p.parity, p.y, p.z), at(p.h, p.y + 1, p.z), at(p.h, p.y, p.z + 1),
                 at(p.h - 1 + p.parity, p.y, p.z), at(p.h, p.y - 1, p.z), at(p.h, p.y, p.z - 1)}};
    }
    __device__ __forceinline__ static unsigned number(const Geometry& g, const Place& p) {
        const unsigned l = log2(g.L);
        return 2 * p.h + p.parity + (p.y << l) + (p.z << 2 * l);
    }
};

#endif

}  // namespace psflip
