#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace psflip {

/// Holds the spins of a batch between lattices and files. At most one of the two arrays has elements.
struct Spins {
    std::vector<std::uint64_t> bits{};  ///< Ising spins (lattice/site_bits.hpp)
    std::vector<double> vectors{};      ///< unit vectors, (replica, slot, realization, component, z, y, x)

    std::size_t bytes() const { return 8 * (bits.size() + vectors.size()); }
    bool operator==(const Spins&) const = default;
};

}  // namespace psflip
