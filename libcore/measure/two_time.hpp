#pragma once

#include <cstdint>
#include <vector>

#include "lattice/shape.hpp"

namespace psflip {

/// Overlaps of lattices of one temperature with themselves t sweeps earlier: S(t) = sum_i s_i(0) s_i(t).
struct TwoTimeOverlaps {
    std::vector<std::int64_t> sweeps;  ///< (K) t, ascending
    std::vector<std::int64_t> sums;    ///< (K, replica, realization) S
    bool operator==(const TwoTimeOverlaps&) const = default;
};

/// Returns S of two moments, (replica, realization). An empty `before` stands for spins that are all up.
/// Spins are of one temperature in the form that runs hold (lattice/site_bits.hpp). A slab gives the sums
/// over its own sites.
std::vector<std::int64_t> two_time_sums(const Shape& shape, const std::vector<std::uint64_t>& before,
                                        const std::vector<std::uint64_t>& now);

}  // namespace psflip
