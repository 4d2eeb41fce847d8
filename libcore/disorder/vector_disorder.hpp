#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// Lattices of realizations first, ..., first + count - 1 of a campaign with this Philox key.
struct DisorderPart {
    std::uint64_t key = 0;
    int L = 0, dimension = 3;
    std::int64_t first = 0, count = 0;

    std::int64_t sites() const { return std::int64_t{L} * L * (dimension == 3 ? L : 1); }
};

/// Species of the sites: 1 with probability `concentration`, else 0, uint8 (realization, z, y, x): 1 where
/// word 3 of philox(occupation, site, pack = realization) < round(2^32 concentration), compared in 64 bits.
std::vector<std::uint8_t> draw_species(const DisorderPart& part, double concentration);

/// Normal couplings of mean 0 and variance 1, (realization, direction, z, y, x), of the bond from a site to
/// its neighbour one step up: sqrt(-2 ln u) cos(phi) with u and phi from two words of purpose gaussian, the
/// same bits on every machine. |J| < 6.8.
std::vector<double> draw_gaussian_couplings(const DisorderPart& part);

}  // namespace psflip
