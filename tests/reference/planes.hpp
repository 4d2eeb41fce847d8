#pragma once

#include <cstdint>
#include <vector>

#include "lattice/layout.hpp"

namespace psflip::reference {

/// Returns the sites of all planes of `held`, in the order (w, v, u), of every lattice of an array (z, y, x).
template <class T>
std::vector<T> planes_of_lattices(const std::vector<T>& whole, const HeldLattice& held) {
    std::vector<T> some;
    const int L = held.L;
    const std::int64_t sites = std::int64_t{L} * L * L;
    for (std::int64_t lattice = 0; lattice < std::ssize(whole); lattice += sites)
        for (int w = 0; w < held.depth; ++w)
            for (int v = 0; v < L; ++v)
                for (int u = 0; u < L; ++u) {
                    const Coordinates at = held.site(u, v, w);
                    some.push_back(whole[lattice + at.x + L * (at.y + std::int64_t{L} * at.z)]);
                }
    return some;
}

}  // namespace psflip::reference
