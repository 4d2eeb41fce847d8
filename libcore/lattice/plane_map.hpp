#pragma once

// Relates the planes of a slab to the planes z of whole lattices in files.

#include <cstdint>

#include "lattice/layout.hpp"

namespace psflip {

/// Returns the own planes of a slab, without halos, or all planes of a whole lattice.
inline HeldLattice own_lattice(const Shape& shape) {
    return {shape.L, shape.own_planes(), shape.order, shape.first_plane, 0, shape.own_planes()};
}

/// Calls f(i, j) for each site that lies in plane z of the whole lattice and in `planes`. i is the index of
/// the site in `planes`, in the order (w, v, u). j is the index of the site in plane z, in the order (y, x).
/// In the standard order, `planes` holds all sites of plane z or none. In the sliced order, plane z has a row
/// in every plane of `planes`.
template <class F>
void for_each_of_plane_z(const HeldLattice& planes, int z, F f) {
    const std::int64_t L = planes.L;
    for (int w = 0; w < planes.depth; ++w) {
        const int plane = planes.plane(w);
        if (planes.sliced()) {
            const int v = wrapped(z - plane, planes.L);
            for (int u = 0; u < L; ++u) f((w * L + v) * L + u, wrapped(u + v, planes.L) * L + u);
        } else if (plane == z) {
            for (std::int64_t i = 0; i < L * L; ++i) f(w * L * L + i, i);
        }
    }
}

/// Returns the number of sites that lie in plane z of the whole lattice and in `planes`.
inline std::int64_t sites_of_plane_z(const HeldLattice& planes, int z) {
    const std::int64_t L = planes.L;
    if (planes.sliced()) return L * planes.depth;
    std::int64_t sites = 0;
    for (int w = 0; w < planes.depth; ++w) sites += planes.plane(w) == z ? L * L : 0;
    return sites;
}

}  // namespace psflip
