#pragma once

#include "model/model.hpp"

namespace psflip {

class InputFile;

/// What a run measures; the table below says which sums that makes.
struct Measured {
    int dimension = 3;
    bool overlaps = true;        ///< of pairs of replicas
    bool magnetisation = false;  ///< of every replica
    bool field = false;          ///< the energy has a part that is not of the bonds
    bool equilibrium = true;    ///< false: a relaxation, without the sums that only equilibrium averages need
    bool absent_bonds = false;  ///< by law, so that energies per bond are not those per site
    int distances = 0;          ///< correlations of sites 1, ..., distances apart along the axes
    int waiting = 0;            ///< earlier times with whose spins the present ones are compared
    int components = 1;         ///< of a spin; 3: of vectors, whose energies are real numbers
    bool staggered = false;     ///< it is their staggered magnetisation that orders
    bool overlap_tensor = false;  ///< of vectors on random sites, of pairs of replicas
    bool real_couplings = false;  ///< of Ising spins, whose energies are real numbers then

    /// The histogram of links; the lowest energies, where no field acts and energies are integers.
    bool link_histogram() const { return overlaps && equilibrium; }
    bool lowest_energies() const { return equilibrium && !field && !real_energies(); }
    constexpr bool vectors() const { return components > 1; }
    constexpr bool real_energies() const { return vectors() || real_couplings; }
    bool operator==(const Measured&) const = default;
};

/// Overlaps in glasses; magnetisations in ferromagnets, in fields, and where they are asked for.
Measured measured_of(const Model& model, bool magnetisation);

/// What a run or checkpoint file has of that which is asked for: magnetisations may be missing if the model
/// does not need them.
Measured measured_in(const InputFile& file, const Measured& asked);

/// What both of two runs of the same model measured.
Measured common(const Measured& a, const Measured& b);

/// Predicates of this and other tables: which runs have a row.
namespace runs_with {
inline constexpr auto anything = [](const Measured&) { return true; };
inline constexpr auto absent_bonds = [](const Measured& m) { return m.absent_bonds; };
inline constexpr auto overlaps = [](const Measured& m) { return m.overlaps; };
inline constexpr auto overlaps_in_space = [](const Measured& m) { return m.overlaps && m.dimension == 3; };
inline constexpr auto overlaps_in_equilibrium = [](const Measured& m) { return m.overlaps && m.equilibrium; };
inline constexpr auto overlaps_without_field = [](const Measured& m) { return m.overlaps && !m.field; };
inline constexpr auto overlaps_in_field = [](const Measured& m) { return m.overlaps && m.field; };
inline constexpr auto magnetisations = [](const Measured& m) { return m.magnetisation; };
inline constexpr auto magnetisations_in_space = [](const Measured& m) {
    return m.magnetisation && m.dimension == 3;
};
inline constexpr auto magnetisations_in_field = [](const Measured& m) { return m.magnetisation && m.field; };
inline constexpr auto overlap_slopes = [](const Measured& m) {
    return m.overlaps && !m.field && m.equilibrium;
};
inline constexpr auto magnetisation_slopes = [](const Measured& m) {
    return m.magnetisation && !m.field && m.equilibrium;
};
inline constexpr auto overlap_distances = [](const Measured& m) { return m.overlaps && m.distances > 0; };
inline constexpr auto spin_distances = [](const Measured& m) { return !m.overlaps && m.distances > 0; };
inline constexpr auto waiting_times = [](const Measured& m) { return m.waiting > 0; };
inline constexpr auto vectors = [](const Measured& m) { return m.vectors(); };
inline constexpr auto directions = [](const Measured& m) { return m.vectors() && m.equilibrium; };
inline constexpr auto overlap_tensors = [](const Measured& m) {
    return m.vectors() && m.overlap_tensor && m.equilibrium;
};
}  // namespace runs_with

}  // namespace psflip
