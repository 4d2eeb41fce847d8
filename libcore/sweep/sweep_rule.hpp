#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

struct Model;

/// The rule that updates the spins of a batch: the plain rule (site_rule.hpp) or the class rule
/// (class_rule.hpp).
struct SweepRule {
    int degree = 6;       ///< 6 or, in two dimensions, 4
    bool plain = true;    ///< no field, Metropolis, no absent bonds
    bool field = false;   ///< class rule: thresholds depend on the spin
    bool absent = false;  ///< class rule: some bonds are absent

    /// Returns whether this is the plain rule in three dimensions.
    bool cubic_plain() const { return plain && degree == 6; }
    /// Returns the number of classes of the class rule.
    int classes() const { return (absent ? 2 : 1) * degree + 1; }
    /// Returns the number of thresholds that a random number is compared with. The plain rule has thresholds
    /// of dE = 4, 8 and, in three dimensions, 12. The class rule has thresholds of the classes 0, 1, ... of
    /// spin -1, then, in a field, of spin +1. With absent bonds and without a field the last threshold is
    /// that of isolated spins.
    int thresholds() const {
        if (plain) return degree / 2;
        return classes() * (field ? 2 : 1) + (absent && !field ? 1 : 0);
    }
    bool operator==(const SweepRule&) const = default;
};

/// Returns the rule of a model. Couplings decide whether bonds are absent, for every model.
SweepRule sweep_rule(const Model& model, bool absent_bonds);

/// Returns whether tables decide exchanges: energies of the first model differ by multiples of 4.
bool exchanges_by_table(const Model& model, const SweepRule& rule);

/// Thresholds of the random numbers of a batch, for groups of `slots` temperatures.
struct AcceptanceTable {
    std::vector<std::uint32_t> thresholds;  ///< (group of slots, threshold, slot of the group); padding 0
    std::vector<std::uint32_t> always;      ///< (threshold): all ones if every number is below it, else 0
};

/// Returns the table. Errors: InputError as ClassTable.
AcceptanceTable acceptance_table(const Model& model, const SweepRule& rule, const std::vector<double>& betas,
                                 int slots);

}  // namespace psflip
