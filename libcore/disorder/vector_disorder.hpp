#pragma once

// Draws species and Gaussian couplings from Philox, equally on every machine.

#include <cstdint>
#include <vector>

namespace psflip {

/// Names what to draw: realizations first to first + count - 1 of a study with this Philox key.
struct DisorderPart {
    std::uint64_t key = 0;
    int L = 0, dimension = 3;
    std::int64_t first = 0, count = 0;

    std::int64_t sites() const { return std::int64_t{L} * L * (dimension == 3 ? L : 1); }
};

/// Draws the species of the sites, uint8 (realization, z, y, x). A site has species 1 (b) if word 3 of
/// philox(occupation, site, pack = realization) < round(2^32 concentration), compared in 64 bits. Otherwise
/// it has species 0 (a).
std::vector<std::uint8_t> draw_species(const DisorderPart& part, double concentration);

/// Draws Gaussian couplings with mean 0 and variance 1, (realization, direction, z, y, x). The bond joins a
/// site to its neighbour in positive direction. J = sqrt(-2 ln u) cos(phi), with u and phi from two words of
/// purpose `gaussian`. All machines give equal bits. |J| < 6.8.
std::vector<double> draw_gaussian_couplings(const DisorderPart& part);

}  // namespace psflip
