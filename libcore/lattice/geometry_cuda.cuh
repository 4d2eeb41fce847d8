#pragma once

// Computes indices of sites and neighbours in kernels, without tables.

#include <cstdint>

#include "base/host_device.hpp"
#include "lattice/layout.hpp"
#include "lattice/shape.hpp"

namespace psflip {

/// Holds the sizes of a lattice, or of a slab of `depth` planes, for kernels. In the standard order, each
/// colour is stored as (z, y, x/2), red sites first (SiteOrder::standard).
struct Geometry {
    unsigned L, half, plane, depth, colour_sites,
        sites;                               ///< half = L/2; plane = sites of one colour in one plane
    unsigned half_reciprocal, L_reciprocal;  ///< 2^32 / half and 2^32 / L, rounded up, for quotients
    unsigned last_row, last_plane;  ///< distance in memory of equal sites in the first and last row or plane
};

inline Geometry make_slab(int L, int depth) {
    const unsigned l = static_cast<unsigned>(L), d = static_cast<unsigned>(depth);
    return {.L = l,
            .half = l / 2,
            .plane = l * l / 2,
            .depth = d,
            .colour_sites = l * l * d / 2,
            .sites = l * l * d,
            .half_reciprocal = 0xFFFFFFFFu / (l / 2) + 1,
            .L_reciprocal = 0xFFFFFFFFu / l + 1,
            .last_row = (l - 1) * l / 2,
            .last_plane = (d - 1) * l * l / 2};
}
inline Geometry make_geometry(int L) {
    return make_slab(L, L);
}

/// Describes a site of one colour, at x = 2h + parity.
struct Place {
    unsigned h, y, z, parity;
};

/// Returns the integer part of n / d from the reciprocal of d. It is exact for n d < 2^32.
PSFLIP_HD unsigned quotient(unsigned n, unsigned reciprocal) {
#ifdef __CUDA_ARCH__
    return __umulhi(n, reciprocal);
#else
    return static_cast<unsigned>((static_cast<std::uint64_t>(n) * reciprocal) >> 32);
#endif
}

/// Returns whether place_of is exact for all sites. This holds for all even L up to 370 and for some larger
/// L.
inline bool has_exact_places(const Geometry& g) {
    const std::uint64_t excess = std::uint64_t{g.half_reciprocal} * g.half - (std::uint64_t{1} << 32);
    return g.colour_sites * excess < std::uint64_t{1} << 32;
}

/// Returns the integer part of n / d for n < 2^32 and d < 2^16, even if quotient() is one too large.
PSFLIP_HD unsigned corrected_quotient(unsigned n, unsigned d, unsigned reciprocal) {
    const unsigned q = quotient(n, reciprocal);
    return q * d > n ? q - 1 : q;
}

/// Divides numbers n by d without a division, for n + d < 2^32.
struct QuickDivisor {
    unsigned by, reciprocal;
    PSFLIP_HD constexpr QuickDivisor(unsigned d = 1) : by(d), reciprocal(d == 1 ? 0 : 0xFFFFFFFFu / d + 1) {}
    PSFLIP_HD operator unsigned() const { return by; }
    /// Returns the integer part of n / d.
    PSFLIP_HD unsigned of(unsigned n) const {
        return by == 1 ? n : corrected_quotient(n, by, reciprocal);  // the reciprocal of 1 does not fit
    }
};

/// Returns the i-th site of a colour (0 red, 1 black).
PSFLIP_HD Place place_of(const Geometry& g, unsigned colour, unsigned i) {
    const unsigned row = quotient(i, g.half_reciprocal), z = quotient(row, g.L_reciprocal), y = row - z * g.L;
    return {i - row * g.half, y, z, (colour + y + z) & 1u};
}

/// Returns the site number x + L (y + L z), which enters the counter of random numbers.
PSFLIP_HD unsigned standard_site(const Geometry& g, const Place& p) {
    return 2 * p.h + p.parity + g.L * (p.y + g.L * p.z);
}

/// Selects the own planes of a slab among the planes in memory. The Geometry describes the planes in memory.
/// Plane w in memory is plane w + lowest, modulo L, of the lattice. `lowest` is even, so a site has the same
/// colour in memory and in the lattice.
struct OwnPlanes {
    unsigned first, planes;  ///< own planes have the indices first to first + planes - 1 in memory
    unsigned lowest;

    /// Return the number of sites of a colour before the first own plane (begin), and up to the end of the
    /// last own plane (end).
    PSFLIP_HD unsigned begin(const Geometry& g) const { return first * g.plane; }
    PSFLIP_HD unsigned end(const Geometry& g) const { return (first + planes) * g.plane; }
    /// Returns the index in the whole lattice of plane w in memory.
    PSFLIP_HD unsigned plane(const Geometry& g, unsigned w) const {
        w += lowest;
        if (w >= 2 * g.L) w -= g.L;  // the upper halo of a slab with all planes
        if (w >= g.L) w -= g.L;
        return w;
    }
    /// Returns the number of the site in the whole lattice.
    PSFLIP_HD unsigned standard_site(const Geometry& g, Place p) const {
        p.z = plane(g, p.z);
        return psflip::standard_site(g, p);
    }
};

inline OwnPlanes own_planes(const Shape& shape) {
    const int lowest = shape.first_plane - shape.halo_planes();
    return {.first = static_cast<unsigned>(shape.halo_planes()),
            .planes = static_cast<unsigned>(shape.own_planes()),
            .lowest = static_cast<unsigned>(lowest < 0 ? lowest + shape.L : lowest)};
}

/// Holds the indices in memory of a site and of its neighbours in the directions +x, +y, +z, -x, -y, -z. In a
/// slab, neighbours beyond the ends wrap around.
struct Neighbours {
    unsigned own, site[6];
};

PSFLIP_HD Neighbours neighbours_of(const Geometry& g, unsigned colour, const Place& p) {
    const unsigned row = g.half * (p.y + g.L * p.z);
    const unsigned other = colour ? 0u : g.colour_sites;
    const unsigned right = p.h + 1 == g.half ? 0u : p.h + 1, left = p.h == 0 ? g.half - 1 : p.h - 1;
    const unsigned here = other + row + p.h;
    const unsigned up_y = p.y + 1 == g.L ? here - g.last_row : here + g.half;
    const unsigned down_y = p.y == 0 ? here + g.last_row : here - g.half;
    const unsigned up_z = p.z + 1 == g.depth ? here - g.last_plane : here + g.plane;
    const unsigned down_z = p.z == 0 ? here + g.last_plane : here - g.plane;
    Neighbours n;
    n.own = (colour ? g.colour_sites : 0u) + row + p.h;
    n.site[0] = other + row + (p.parity ? right : p.h);
    n.site[1] = up_y;
    n.site[2] = up_z;
    n.site[3] = other + row + (p.parity ? p.h : left);
    n.site[4] = down_y;
    n.site[5] = down_z;
    return n;
}

#ifdef __CUDACC__

/// Loads the couplings of the six bonds in the order of Neighbours. A bond in positive direction is stored at
/// the site, and a bond in negative direction at the neighbour. `column` points to the couplings of the
/// column: (direction, site), 16 bytes each.
__device__ __forceinline__ void load_couplings(const uint4* __restrict__ column, unsigned sites,
                                               const Neighbours& n, uint4 (&bond)[6]) {
#pragma unroll
    for (unsigned d = 0; d < 3; ++d) {
        bond[d] = __ldg(column + (d * sites + n.own));
        bond[3 + d] = __ldg(column + (d * sites + n.site[3 + d]));
    }
}

#endif

}  // namespace psflip
