#pragma once

#include "model/model.hpp"

namespace psflip {

class InputFile;

/// What a run measures. The rows of sum_table say which sums it has.
struct Measured {
    int dimension = 3;
    bool overlaps = true;        ///< of pairs of replicas
    bool magnetisation = false;  ///< of every replica
    bool field = false;          ///< the energy has a term besides the bonds
    bool equilibrium = true;    ///< false: a relaxation, without the sums that only equilibrium averages need
    bool absent_bonds = false;  ///< by law: energies per bond and per site are not proportional
    int distances = 0;          ///< correlations of sites 1, ..., distances apart along the axes
    int waiting = 0;            ///< earlier times whose spins are compared with the present spins
    int components = 1;         ///< of a spin; 3: of vectors, whose energies are real numbers
    bool staggered = false;     ///< the staggered magnetisation of vectors orders
    bool overlap_tensor = false;  ///< of vectors on random sites, of pairs of replicas
    bool real_couplings = false;  ///< of Ising spins, whose energies are real numbers then

    /// Return whether the run has the histogram of links, and the lowest energies.
    bool link_histogram() const { return overlaps && equilibrium; }
    bool lowest_energies() const { return equilibrium && !field && !real_energies(); }
    constexpr bool vectors() const { return components > 1; }
    constexpr bool real_energies() const { return vectors() || real_couplings; }
    bool operator==(const Measured&) const = default;
};

/// Returns what a model needs: overlaps in glasses; magnetisations in ferromagnets, in fields, and on
/// request.
Measured measured_of(const Model& model, bool magnetisation);

/// Returns what a run or checkpoint file has of a request: magnetisations may be missing if the model does
/// not need them.
Measured measured_in(const InputFile& file, const Measured& asked);

/// Returns what both of two runs of the same model measured.
Measured common(const Measured& a, const Measured& b);

/// Predicates of tables: which runs have a row.
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
