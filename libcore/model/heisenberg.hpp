#pragma once

#include <array>
#include <cstdint>

#include "model/model.hpp"

namespace psflip {

struct ModelSection;  // config/sections.hpp

/// Classical spins |S| = 1 of one or two species on the square or cubic lattice:
///   H = -sum_bonds [ J S_i.S_j + D_ij.(S_i x S_j) ] - sum_i K (S_i^x)^2 - h sum_i m S_i^z
/// A bond joins a site i to j one step up along x, y or z (periodic boundaries: to the first site behind the
/// last one) and counts once. J, K, m and the length D of D_ij depend on the species: a, b and, for a bond of
/// both, ab, whichever comes first. J > 0 is ferromagnetic. D_ij lies along n as the pattern says; with the
/// alternating one both ends tell the same vector, as eta_j = -eta_i and S_j x S_i = -S_i x S_j. A constant
/// one with periodic boundaries is frustrated where the turn of a row is not a multiple of 2 pi. J, D, K and
/// h share a unit of energy with temperatures, k_B = 1.
struct Heisenberg {
    int dimension = 3;  ///< 2 or 3
    Boundary boundary = Boundary::periodic;
    std::array<double, 3> exchange{1.0, 1.0, 1.0};  ///< J of bonds a-a, a-b, b-b
    DmPattern dm_pattern = DmPattern::none;
    std::array<double, 3> dm{};                    ///< D likewise, of any sign
    std::array<double, 3> dm_axis{0.0, 1.0, 0.0};  ///< n, of any length but 0
    std::array<double, 2> anisotropy{};            ///< K of a, b; above 0 x is the easy axis
    double field = 0.0;                            ///< h
    std::array<double, 2> moment{1.0, 1.0};        ///< m of a, b
    double concentration = 0.0;                    ///< 0..1: how likely a site is b, independently of others

    bool has_anisotropy() const { return anisotropy != std::array<double, 2>{}; }
    /// dm_axis with length 1.
    std::array<double, 3> dm_direction() const;
    /// An upper limit of a site's share of |H|: half of its bonds, its anisotropy and its field.
    double largest_energy() const;

    /// Whether the exchange of the mean bond is below 0, so that the staggered magnetisation orders.
    bool staggered() const {
        const double b = concentration, a = 1.0 - b;
        return a * a * exchange[0] + 2.0 * a * b * exchange[1] + b * b * exchange[2] < 0.0;
    }

    /// The Philox key of a campaign with this seed on lattices of size L, as Model::random_key: L, 2 for the
    /// kind, then all members in order.
    std::uint64_t random_key(std::uint64_t seed, int L) const;
    bool operator==(const Heisenberg&) const = default;
};

/// The model of these keys with kind = heisenberg.
Heisenberg heisenberg_of(const ModelSection& section);

/// Throws InputError naming the member and what would be right: a dimension other than 2 or 3, numbers that
/// are not finite, a concentration outside 0..1, a pattern of D without any D, D without a pattern, an axis
/// of length 0.
void check_model(const Heisenberg& model);

/// Ising spins with couplings from the normal distribution of mean 0 and variance 1, periodic boundaries:
///   H = -sum_bonds J_ij s_i s_j - h sum_i s_i
struct GaussianGlass {
    int dimension = 3;   ///< 2 or 3
    double field = 0.0;  ///< h

    /// As of Heisenberg, 3 for the kind.
    std::uint64_t random_key(std::uint64_t seed, int L) const;
    bool operator==(const GaussianGlass&) const = default;
};

/// Throws InputError as above.
void check_model(const GaussianGlass& model);

}  // namespace psflip
