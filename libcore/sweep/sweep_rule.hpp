// Chooses the update rule of a model, and tabulates the thresholds of its random numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "model/demons.hpp"

namespace psflip {

struct Model;

/// Names the rule that updates the spins of a batch: the plain rule (site_rule.hpp), the class rule
/// (class_rule.hpp), a rule of demons (demon_rule.hpp, demon_model_rule.hpp), or a cluster update
/// (clusters/cluster_rule.hpp).
struct SweepRule {
    int degree = 6;       ///< neighbours of a site: 6, or 4 in two dimensions
    bool plain = true;    ///< Metropolis without field and absent bonds
    bool field = false;   ///< class rule: thresholds depend on the spin; demons: spins also need field demons
    bool absent = false;  ///< some bonds are absent; demons: the model has absent bonds
    int demon_sites = 0;  ///< demon dynamics (demon_rule.hpp): sites of a demon; 0: another dynamics
    bool downward = false;       ///< demons: the field is negative
    bool swendsen_wang = false;  ///< all clusters get new spins
    int wolff_clusters = 0;      ///< Wolff: clusters of a sweep; 0: another update

    /// Returns whether this is the plain rule in three dimensions.
    bool cubic_plain() const { return plain && degree == 6; }
    bool has_demons() const { return demon_sites > 0; }
    /// Returns whether this is a cluster update. It has one threshold, the bond_threshold.
    bool has_clusters() const { return swendsen_wang || wolff_clusters > 0; }
    /// Returns whether this is the rule of demons without a field and absent bonds.
    bool plain_demons() const { return has_demons() && !field && !absent; }
    /// Returns the number of classes of the class rule.
    int classes() const { return (absent ? 2 : 1) * degree + 1; }
    /// Returns the number of thresholds that a random number is compared with. The plain rule has thresholds
    /// of dE = 4, 8 and, in three dimensions, 12 J. The class rule has thresholds of the classes 0, 1, ... of
    /// spin -1 and then, in a field, of spin +1. With absent bonds and without a field, the last threshold
    /// belongs to isolated spins. Demons have the thresholds of their energies (model/demons.hpp), and then
    /// of the energies of field demons.
    int thresholds() const {
        if (has_demons()) return (absent ? max_bond_demon : max_demon) + (field ? max_field_demon : 0);
        if (has_clusters()) return 1;
        if (plain) return degree / 2;
        return classes() * (field ? 2 : 1) + (absent && !field ? 1 : 0);
    }
    bool operator==(const SweepRule&) const = default;
};

/// Returns the rule of a model. absent_bonds: whether the batch has absent bonds. Demons ignore this argument
/// and use Model::has_absent_bonds, because their unit of energy must not depend on the batch.
SweepRule sweep_rule(const Model& model, bool absent_bonds);

/// Returns whether tables decide exchanges (exchange_thresholds): for the ±J glass in three dimensions with
/// the plain rule, whose energies differ by multiples of 4 J.
bool exchanges_by_table(const Model& model, const SweepRule& rule);

/// Holds the thresholds of the random numbers of a batch, for groups of `slots` temperatures.
struct AcceptanceTable {
    std::vector<std::uint32_t> thresholds;  ///< (group of slots, threshold, slot of the group); padding 0
    /// (threshold), for all temperatures: all ones if all random numbers are below the threshold, else 0.
    std::vector<std::uint32_t> always;
};

/// Returns the table. betas: (slot), 1 / (k_B T). Errors: InputError as ClassTable.
AcceptanceTable acceptance_table(const Model& model, const SweepRule& rule, const std::vector<double>& betas,
                                 int slots);

}  // namespace psflip
