// Reads and writes state files. A state file has the spins of a batch, the state of the sampler, and the
// identity that decides which call may continue from the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "evolution/sampler_state.hpp"
#include "io/file.hpp"
#include "lattice/shape.hpp"
#include "lattice/spins.hpp"
#include "measure/run_grid.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// Identifies a batch by its disorder and by the physics of its simulation. All files of a batch have equal
/// identities.
struct BatchIdentity {
    std::int64_t first_realization = 0;
    std::int64_t realizations = 0;
    int L = 0;
    std::string physics;         ///< Parameters::physics_yaml()
    std::string couplings_hash;  ///< XXH64 of the couplings as int8
    /// Origin of couplings that gen-disorder did not draw (disorder/couplings.hpp); otherwise empty. The
    /// origin is written but not compared, because the hash distinguishes couplings.
    std::string couplings_origin{};

    /// Returns, as "key: value" lines for config/physics_text.hpp, the entries that must agree.
    std::string lines() const;
};

/// Holds a batch at one moment: everything that an exact continuation needs.
struct SimulationState {
    std::int64_t sweep = 0;       ///< completed sweeps since the random start
    std::int64_t run_start = -1;  ///< completed sweeps when thermalize ended; -1 while thermalizing
    Spins spins;                  ///< in the form of Ensemble::held_spins; each rank has its own planes
    SamplerState sampler;         ///< its counts begin at the random start
    bool operator==(const SimulationState&) const = default;
};

/// Returns the shape of a batch: sizes from the disorder file, all else from the parameters.
Shape batch_shape(const Parameters& parameters, std::int64_t first_realization, std::int64_t realizations);

/// Write and read the root attributes that identify a batch, in state, run and checkpoint files. Errors of
/// reading: InputError if an attribute is missing or impossible.
void write_identity(OutputFile& file, const BatchIdentity& identity);
BatchIdentity read_identity(const InputFile& file);

/// Writes the datasets of a state: /spins, /sweep, /run_start, and the groups of the sampler. Collective;
/// `file` is the file of rank 0 and nullptr on other ranks.
void write_state(OutputFile* file, const Shape& shape, const SimulationState& state,
                 Ranks& ranks = single_rank());

/// Returns the path of the dataset that stores one array of a sampler's state.
std::string state_dataset(const StateGroup& group, const StateArray& array);

/// Reads the datasets of a state; each rank gets its own planes. Not collective. Errors: InputError if a
/// dataset has an extent that does not fit `shape`, or an impossible value, or if a group has another
/// version.
SimulationState read_state(const InputFile& file, const Shape& shape);

/// Holds the position of a state in its run, without its spins.
struct StatePosition {
    std::int64_t sweep, run_start;
    std::optional<RunGrid> grid;  ///< grid of the runs that led to the state; none: the state comes from
                                  ///< thermalize
    std::int64_t measured() const { return sweep - run_start; }  ///< sweeps since the end of thermalization
};

/// Reads the position from a state file. Errors: InputError if the file is no state, if its thermalization is
/// not complete, or if no run of its grid ends at its sweep.
StatePosition read_position(const std::string& path);

/// Returns a hash of the content of a state, without provenance. It does not depend on the number of ranks.
/// Collective.
std::string state_hash(const SimulationState& state, const Shape& shape = {}, Ranks& ranks = single_rank());

/// Checks that a state file has the physics of the parameters. Errors: InputError if they differ.
void check_state_physics(const std::string& path, const Parameters& parameters);

/// Reads a state file that a run with `identity` continues. Errors: InputError, which names the key and both
/// values, for a state of another configuration, disorder file or batch. threads: threads that unpack the
/// spins; 0: all cores.
SimulationState load_state(const std::string& path, const BatchIdentity& identity, const Shape& shape,
                           int threads = 1);

/// Checks that the state file at `path` may be replaced. Errors: InputError if the file belongs to another
/// batch, has another past, or has more sweeps than the state that will be written. relaxation: relax_lines
/// (relaxation_file.hpp) if `relax` makes the state; empty if thermalize or pt-run makes the state.
void check_existing_state(const std::string& path, const BatchIdentity& identity, std::int64_t sweep,
                          const std::string& relaxation = "");

}  // namespace psflip
