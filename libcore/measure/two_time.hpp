#pragma once

#include <cstdint>
#include <vector>

#include "lattice/shape.hpp"

namespace psflip {

/// Holds overlaps between the spins of a lattice at two times, t sweeps apart: S(t) = sum_i s_i(0) s_i(t).
/// All lattices have the same temperature.
struct TwoTimeOverlaps {
    std::vector<std::int64_t> sweeps;  ///< (time): t, ascending
    std::vector<std::int64_t> sums;    ///< (time, replica, realization): S(t)
    bool operator==(const TwoTimeOverlaps&) const = default;
};

/// Returns S between two moments, (replica, realization). An empty `before` stands for spins that are all +1.
/// Both arrays hold the spins of one temperature in the form of lattice/site_bits.hpp. In a slab, S is the
/// sum over its own sites.
std::vector<std::int64_t> two_time_sums(const Shape& shape, const std::vector<std::uint64_t>& before,
                                        const std::vector<std::uint64_t>& now);

}  // namespace psflip
