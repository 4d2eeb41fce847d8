#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/choices.hpp"

namespace psflip {

struct Node;  // config/document.hpp

// Holds the values of the keys: each section of the study file is a struct with one member per key. The table
// in config/keys.cpp has the units, ranges, defaults and descriptions. Keys with a value per lattice size are
// members of Config and Parameters.

/// Holds the keys of the section `model`.
struct ModelSection {
    ModelKind kind = ModelKind::edwards_anderson;
    int dimension = 3;
    double field = 0.0;     ///< h, in units of J
    double p_ferro = 0.5;   ///< probability of J = +1
    double p_absent = 0.0;  ///< probability of an absent bond
    Boundary boundary = Boundary::periodic;
    Couplings couplings = Couplings::discrete;
    // The following keys are for vector spins. A site is of species a or b.
    std::vector<double> exchange{1.0, 1.0, 1.0};  ///< J of bonds a-a, a-b, b-b
    DmPattern dm_pattern = DmPattern::none;
    std::vector<double> dm{0.0, 0.0, 0.0};       ///< D of bonds a-a, a-b, b-b
    std::vector<double> dm_axis{0.0, 1.0, 0.0};  ///< direction (x, y, z), of any length
    std::vector<double> anisotropy{0.0, 0.0};    ///< K of a, b; if K > 0, x is the easy axis
    std::vector<double> moments{1.0, 1.0};       ///< m of a, b
    double concentration = 0.0;                  ///< probability that a site is b

    /// Returns whether spins are vectors.
    bool has_vectors() const { return kind == ModelKind::heisenberg; }
    /// Returns whether spins are Ising spins with real couplings.
    bool gaussian() const { return couplings == Couplings::gaussian; }
    bool has_absent_bonds() const { return p_absent > 0.0 || boundary == Boundary::open; }
    bool has_dm() const { return dm_pattern != DmPattern::none; }
    bool has_anisotropy() const { return anisotropy[0] != 0.0 || anisotropy[1] != 0.0; }
};

/// Holds the keys of the section `disorder`.
struct DisorderSection {
    std::int64_t realizations;  ///< per L
    std::int64_t batch;         ///< realizations per file
    DisorderSource source;
};

/// Holds the keys of the section `multispin`.
struct MultispinSection {
    int share;  ///< 1, 32, 64 or 128
    Lanes lanes;
};

/// Holds the keys of the section `dynamics`.
struct DynamicsSection {
    int sweeps_per_swap;
    Update update;
    int demon_sites;     ///< maximum number of sites that a demon serves in a half sweep
    int wolff_clusters;  ///< clusters of one Wolff sweep
    int tile;            ///< edge in sites; 0: the plain checkerboard
    int hits;            ///< updates of a tile in one visit
    TileOrder tile_order;
    int houdayer_every;     ///< sweeps between two Houdayer moves; 0: none
    double houdayer_below;  ///< highest temperature of Houdayer moves
    int over_relaxation;    ///< sweeps, for vector spins
    Precision precision;    ///< for vector spins and real couplings

    /// Returns whether the update needs whole lattices and has no slabs.
    bool needs_whole_lattices() const {
        return update == Update::demon || update == Update::swendsen_wang || update == Update::wolff;
    }
};

/// Holds the keys of the section `run`, except for run.sweeps.
struct RunSection {
    std::int64_t measure_every;  ///< sweeps
    int blocks;
    double discard;  ///< 0 <= discard < 1
    std::int64_t snapshots;
    int histogram_bins;
    MagnetisationChoice magnetisation;

    /// Returns whether every model measures its magnetisation.
    bool measures_magnetisation() const { return magnetisation == MagnetisationChoice::always; }
};

/// Holds the keys of the section `equilibration`.
struct EquilibrationSection {
    EquilibrationRule test;
    double threshold_sigma;
    double min_walk_times;
    Unequilibrated unequilibrated;
    int max_doublings;
};

/// Holds the keys of the section `relax`. Times are sweeps since the start of the relaxation.
struct RelaxSection {
    RelaxOrigin start;
    std::int64_t first;                 ///< first time, in sweeps
    std::int64_t last;                  ///< upper limit of the times, in sweeps
    int per_decade;                     ///< times per factor of 10
    std::vector<std::int64_t> waiting;  ///< waiting times in sweeps, ascending
    RelaxSchedule schedule;
    std::vector<double> factors;  ///< value of the key; see temperature_factors()
    int stages;
    std::int64_t stage_sweeps;
    std::vector<double> fields;  ///< factors of the field; each holds for stage_sweeps
    std::int64_t measure_every;  ///< sweeps; 0: a logarithmic grid

    /// Returns the factors of the temperatures. Each holds for stage_sweeps, and afterwards the factor is 1.
    std::vector<double> temperature_factors() const;
};

/// Holds the keys of the section `checkpoint`.
struct CheckpointSection {
    double every_seconds;
};

/// Holds the values of a study that do not depend on the lattice size.
struct StudySections {
    std::uint64_t seed{};
    ModelSection model{};
    DisorderSection disorder{};
    int replicas{};
    MultispinSection multispin{};
    DynamicsSection dynamics{};
    RunSection run{};
    EquilibrationSection equilibration{};
    RelaxSection relax{};
    CheckpointSection checkpoint{};
    /// The study with a node for every key, whose places errors name (refuse_key); null without a study.
    std::shared_ptr<const Node> document{};

    /// Returns whether relaxations measure at even times only (see relax.first).
    bool has_even_times() const {
        return (dynamics.update == Update::metropolis || dynamics.update == Update::demon) &&
               !model.has_vectors();
    }
};

}  // namespace psflip
