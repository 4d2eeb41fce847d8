#pragma once

#include <cstdint>
#include <vector>

namespace psflip::reference {

/// Returns the planes z = first, ..., first + planes - 1 (modulo L) of every lattice of an array in the
/// standard site order.
template <class T>
std::vector<T> planes_of_lattices(const std::vector<T>& whole, int L, int first, int planes) {
    std::vector<T> some;
    const std::int64_t plane = std::int64_t{L} * L;
    for (std::int64_t at = 0; at < std::ssize(whole); at += plane * L)
        for (int z = 0; z < planes; ++z) {
            const auto from = whole.begin() + at + (first + z + L) % L * plane;
            some.insert(some.end(), from, from + plane);
        }
    return some;
}

}  // namespace psflip::reference
