#pragma once

// Defines what is simulated: Hamiltonians, their parameters, and the random key that belongs to them.

#include <array>
#include <cstdint>

#include "config/choices.hpp"

namespace psflip {

struct Parameters;    // config/config.hpp
struct ModelSection;  // config/sections.hpp

/// Real (Gaussian) couplings lie between this number and its negative.
inline constexpr double max_real_coupling = 8.0;

/// Describes an Ising model on the square or cubic lattice: H = -sum_<ij> J_ij s_i s_j - h sum_i s_i, with J
/// = k_B = 1. Bonds are absent (J_ij = 0) with probability p_absent and at open boundaries. All remaining
/// bonds are +1 in a ferromagnet. In an Edwards-Anderson model, each remaining bond is +1 with probability
/// p_ferro, and otherwise -1. Gaussian couplings are real numbers of mean 0 and variance 1. For vector spins,
/// model_of sets only kind, dimension and three members for vector spins. All other members are then
/// defaults, and sweeps use the section `model` of the configuration.
struct Model {
    ModelKind kind = ModelKind::edwards_anderson;
    int dimension = 3;      ///< 2 or 3
    double field = 0.0;     ///< h
    double p_ferro = 0.5;   ///< 0..1
    double p_absent = 0.0;  ///< 0..1
    Boundary boundary = Boundary::periodic;
    Update update = Update::metropolis;
    double site_energy = 0.0;   ///< vector spins: upper limit of |H| per site (max_site_energy)
    bool staggered = false;     ///< vector spins: the mean exchange of a bond is negative
    bool random_sites = false;  ///< vector spins: sites are a or b at random
    bool gaussian = false;      ///< Ising spins: J_ij are real numbers
    int demon_sites = 0;        ///< update = demon: sites that a demon serves
    int wolff_clusters = 0;     ///< update = wolff: clusters of a sweep

    /// Returns the number of neighbours of a site: 4 or 6.
    int degree() const { return 2 * dimension; }
    /// Returns whether an Ising model can have absent bonds.
    bool has_absent_bonds() const { return p_absent > 0.0 || boundary == Boundary::open; }
    /// Returns whether the update flips clusters of spins.
    bool has_clusters() const { return update == Update::swendsen_wang || update == Update::wolff; }
    /// Returns the number of components of a spin: 1, or 3 for vectors.
    int components() const { return kind == ModelKind::heisenberg ? 3 : 1; }
    /// Returns an upper limit of |H| per site.
    double max_energy() const {
        const double bonds = dimension * (gaussian ? max_real_coupling : 1.0);
        return kind == ModelKind::heisenberg ? site_energy : bonds + (field < 0.0 ? -field : field);
    }
    /// Returns whether the plain update rule applies to an Ising model: Metropolis, J_ij = +1 or -1 on every
    /// bond, no field. dE is then a multiple of 4 J.
    bool plain() const {
        return field == 0.0 && update == Update::metropolis && !has_absent_bonds() && !gaussian;
    }
    /// Returns whether the seed itself is the Philox key: for the three-dimensional glass with the plain
    /// rule, at any p_ferro. Lattices of different sizes then share random numbers, so their results are not
    /// independent.
    bool uses_plain_seed() const { return plain() && dimension == 3 && kind == ModelKind::edwards_anderson; }

    /// Returns the Philox key of a study with this seed on lattices of size L: the seed itself if
    /// uses_plain_seed(). Otherwise the key is mixed from seed, size and model. It starts as splitmix64 of
    /// the seed. Then key = splitmix64(key ^ value) for each of L, kind, dimension, field, p_ferro, p_absent,
    /// boundary, update, in this order. The value of an enumerator is its number, and of a real number its 64
    /// bits (-0 as +0). demon_sites does not enter. For vector spins and Gaussian couplings, use the free
    /// function random_key below, which takes a ModelSection.
    std::uint64_t random_key(std::uint64_t seed, int L) const;

    bool operator==(const Model&) const = default;
};

/// Returns the model of a study's keys.
Model model_of(const Parameters& parameters);

/// Checks the numbers of an Ising model. Errors: InputError if the dimension is not 2 or 3, the field is not
/// finite, a probability is not in 0..1, or the update is cone, which is for vector spins. Also InputError
/// for cluster updates of a model that is not a ferromagnet without field, and for a number of Wolff clusters
/// that is out of range.
void check_model(const Model& model);

// Two models calculate with real numbers instead of bits. Their parameters are the section `model` of the
// configuration.
//
// Classical spins |S| = 1 of one or two species (model.kind = heisenberg):
//   H = -sum_bonds [ J S_i.S_j + D_ij.(S_i x S_j) ] - sum_i K (S_i^x)^2 - h sum_i m S_i^z
// A bond joins a site i to the site j one step up along x, y or z and counts once. J > 0 is ferromagnetic. J,
// K, m and the length D of D_ij depend on the species. J and D have three values: for a-a, for a-b in any
// order, and for b-b. D_ij lies along the unit vector n of dm_axis:
// - constant: D_ij = D n. This pattern prefers a spiral. With periodic boundaries the spiral does not fit,
//   unless it turns by a multiple of 2 pi over L sites.
// - alternating: D_ij = eta_i D n with eta_i = (-1)^(x+y+z). The energy does not depend on which end of a
//   bond is called i, because eta_j = -eta_i and S_j x S_i = -S_i x S_j.
// J, D, K, h and the temperatures are in one common unit of energy, with k_B = 1.
//
// Ising spins (s_i = +1 or -1) with Gaussian couplings of mean 0 and variance 1 and periodic boundaries
// (model.couplings = gaussian):
//   H = -sum_bonds J_ij s_i s_j - h sum_i s_i

/// Return a section for use without a configuration. heisenberg sets kind = heisenberg in `section`, or in
/// the defaults. gaussian_glass returns the defaults with Gaussian couplings, this dimension and this field.
ModelSection heisenberg(ModelSection section);
ModelSection heisenberg();
ModelSection gaussian_glass(int dimension = 3, double field = 0.0);

/// Returns dm_axis, scaled to length 1.
std::array<double, 3> dm_direction(const ModelSection& section);
/// Returns an upper limit of |H| per site, from half of the bonds of a site, its anisotropy and its field.
double max_site_energy(const ModelSection& section);
/// Returns the Philox key of a study of one of these two models, mixed as in Model::random_key. The values
/// for Gaussian couplings are L, the number 3 (which no kind has), dimension, field. The values for vector
/// spins are L, the number 2 of the kind heisenberg, dimension, boundary, exchange, dm_pattern, dm, dm_axis,
/// anisotropy, field, moments, concentration.
std::uint64_t random_key(const ModelSection& section, std::uint64_t seed, int L);

}  // namespace psflip
