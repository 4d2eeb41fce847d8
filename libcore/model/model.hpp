#pragma once

#include <cstdint>

#include "config/choices.hpp"

namespace psflip {

struct Parameters;  // config/config.hpp

/// Real couplings are between this and its negative.
inline constexpr double largest_real_coupling = 8.0;

/// An Ising model on the square or cubic lattice: H = -sum_<ij> J_ij s_i s_j - h sum_i s_i, J = 1, k_B = 1.
/// A bond is absent (J_ij = 0) with probability p_absent, and where a boundary is open; one that is there is
/// +1 with probability p_ferro, else -1, in an Edwards-Anderson model, and +1 in a ferromagnet. Gaussian:
/// couplings are real numbers, of mean 0 and variance 1 (GaussianGlass in model/heisenberg.hpp). Of vector
/// spins only kind, dimension and site_energy are here; the others are in Heisenberg (model/heisenberg.hpp).
struct Model {
    ModelKind kind = ModelKind::edwards_anderson;
    int dimension = 3;      ///< 2 or 3
    double field = 0.0;     ///< h
    double p_ferro = 0.5;   ///< 0..1
    double p_absent = 0.0;  ///< 0..1
    Boundary boundary = Boundary::periodic;
    Update update = Update::metropolis;
    double site_energy = 0.0;   ///< of vector spins: Heisenberg::largest_energy
    bool staggered = false;     ///< likewise: Heisenberg::staggered
    bool random_sites = false;  ///< likewise: sites are a or b at random
    bool gaussian = false;      ///< of Ising spins: J_ij are real numbers

    /// Neighbours of a site: 4 or 6.
    int degree() const { return 2 * dimension; }
    /// Whether bonds are absent by law.
    bool has_absent_bonds() const { return p_absent > 0.0 || boundary == Boundary::open; }
    /// Components of a spin: 1, or 3 of vectors.
    int components() const { return kind == ModelKind::heisenberg ? 3 : 1; }
    /// An upper limit of |H| per site.
    double largest_energy() const {
        const double bonds = dimension * (gaussian ? largest_real_coupling : 1.0);
        return kind == ModelKind::heisenberg ? site_energy : bonds + (field < 0.0 ? -field : field);
    }
    /// Whether the plain rule holds: no field, Metropolis, every bond there.
    bool plain() const {
        return field == 0.0 && update == Update::metropolis && !has_absent_bonds() && !gaussian;
    }
    /// Whether the random numbers have the seed itself as key: the plain rule of the three-dimensional glass,
    /// at any p_ferro.
    bool uses_plain_seed() const { return plain() && dimension == 3 && kind == ModelKind::edwards_anderson; }

    /// The Philox key of a campaign with this seed on lattices of size L: the seed where
    /// uses_plain_seed(); else, so that sizes and models have independent numbers, the seed through
    /// splitmix64, then for each of L, kind, dimension, field, p_ferro, p_absent, boundary, update in this
    /// order (enumerators by number, real numbers by their 64 bits, -0 as +0): key = splitmix64(key ^ value).
    std::uint64_t random_key(std::uint64_t seed, int L) const;

    bool operator==(const Model&) const = default;
};

/// The model of a study's keys.
Model model_of(const Parameters& parameters);

/// Throws InputError where a dimension is not 2 or 3, the field not finite, or a probability outside 0..1.
void check_model(const Model& model);

}  // namespace psflip
