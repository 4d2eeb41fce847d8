#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

struct Model;

/// Which rule updates the spins of a batch: the plain one (site_rule.hpp) or the class rule (class_rule.hpp).
struct SweepRule {
    int degree = 6;       ///< 6 or, in two dimensions, 4
    bool plain = true;    ///< no field, Metropolis, every bond there
    bool field = false;   ///< of the class rule: thresholds depend on the spin
    bool absent = false;  ///< of the class rule: some bonds are absent

    /// Whether it is the plain rule in three dimensions.
    bool cubic_plain() const { return plain && degree == 6; }
    /// Classes of the class rule.
    int classes() const { return (absent ? 2 : 1) * degree + 1; }
    /// Thresholds that a random number is compared with. Plain: of dE = 4, 8, and 12 in three dimensions.
    /// Class rule: of the classes 0, 1, ... of spin -1, then, in a field, of spin +1; last, with absent bonds
    /// and without field, of isolated spins.
    int thresholds() const {
        if (plain) return degree / 2;
        return classes() * (field ? 2 : 1) + (absent && !field ? 1 : 0);
    }
    bool operator==(const SweepRule&) const = default;
};

/// The rule of a model; bonds are absent where the couplings say so, whatever the model.
SweepRule sweep_rule(const Model& model, bool absent_bonds);

/// Whether tables decide its exchanges: the energies of the first model are multiples of 4 apart.
bool exchanges_by_table(const Model& model, const SweepRule& rule);

/// What the random numbers of a batch are compared with, for `slots` temperatures at a time.
struct AcceptanceTable {
    std::vector<std::uint32_t> thresholds;  ///< (group of slots, threshold, slot of the group); padding 0
    std::vector<std::uint32_t> always;      ///< (threshold): all ones where every number is below it, else 0
};

/// Throws InputError as ClassTable.
AcceptanceTable acceptance_table(const Model& model, const SweepRule& rule, const std::vector<double>& betas,
                                 int slots);

}  // namespace psflip
