#pragma once

#include "model/model.hpp"

namespace psflip {

class InputFile;

/// Says what a run measures. From this, the rows of sum_table (measure/sums.hpp) decide which sums the run
/// has.
struct Measured {
    int dimension = 3;
    bool overlaps = true;        ///< overlaps of pairs of replicas
    bool magnetisation = false;  ///< magnetisation of every replica
    bool field = false;          ///< the model has a field
    bool equilibrium = true;    ///< false: a relaxation, without the sums that only averages over equilibrium
                                ///< need
    bool absent_bonds = false;  ///< bonds may be absent, so energies per bond and per site are not
                                ///< proportional
    int distances = 0;          ///< correlations of sites 1, ..., distances apart along the axes; 0: none
    int waiting = 0;            ///< number of earlier times whose spins are compared with the present spins
    int components = 1;  ///< components of a spin: 1 (Ising) or 3 (vectors, whose energies are real numbers)
    bool staggered = false;       ///< of vectors: the staggered magnetisation is the order parameter
    bool overlap_tensor = false;  ///< overlap tensor of pairs of replicas, of vectors on random sites
    bool real_couplings = false;  ///< Ising spins with real couplings, whose energies are real numbers
    bool clusters = false;        ///< sums over the clusters of Swendsen-Wang sweeps, for improved estimators

    /// Return whether the run has the histogram of links, and the lowest energies.
    bool link_histogram() const { return overlaps && equilibrium; }
    bool lowest_energies() const { return equilibrium && !field && !real_energies(); }
    constexpr bool vectors() const { return components > 1; }
    constexpr bool real_energies() const { return vectors() || real_couplings; }
    bool operator==(const Measured&) const = default;
};

/// Returns what runs of a model measure: overlaps of glasses, magnetisations of ferromagnets and in fields.
/// If `magnetisation`, runs of every model measure magnetisations.
Measured measured_of(const Model& model, bool magnetisation);

/// Returns the quantities of `asked` that a run or checkpoint file holds. Only magnetisations of glasses
/// without field, and sums over clusters, may be missing.
Measured measured_in(const InputFile& file, const Measured& asked);

/// Returns the quantities that two runs of one model both measured. Errors: std::invalid_argument for
/// different models.
Measured common(const Measured& a, const Measured& b);

/// Conditions for rows in the tables of sums and observables. Each returns whether a run with this Measured
/// has the row.
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
inline constexpr auto clusters = [](const Measured& m) { return m.clusters && m.equilibrium; };
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
