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

/// What identifies a batch: the disorder it lives on and the physics it was simulated with.
struct BatchIdentity {
    std::int64_t first_realization = 0;
    std::int64_t realizations = 0;
    int L = 0;
    std::string physics;         ///< Parameters::physics_yaml()
    std::string couplings_hash;  ///< XXH64 of the int8 couplings
    /// Empty if gen-disorder drew the couplings, see disorder/couplings.hpp. It is only written, because the
    /// hash distinguishes couplings.
    std::string couplings_origin{};

    /// Returns what must agree as "key: value" lines for config/physics_text.hpp.
    std::string lines() const;
};

/// A batch at one moment: all that an exact continuation needs.
struct SimulationState {
    std::int64_t sweep = 0;       ///< completed sweeps since the random start
    std::int64_t run_start = -1;  ///< completed sweeps when thermalize ended; -1 while thermalizing
    Spins spins;                  ///< Ensemble::held_spins; each rank has its own planes
    SamplerState sampler;         ///< counts since the random start
    bool operator==(const SimulationState&) const = default;
};

/// Returns the shape of a batch: sizes from the disorder file, the rest from the parameters.
Shape batch_shape(const Parameters& parameters, std::int64_t first_realization, std::int64_t realizations);

/// Write and read the root attributes of state, run and checkpoint files.
void write_identity(OutputFile& file, const BatchIdentity& identity);
BatchIdentity read_identity(const InputFile& file);

/// Writes the datasets of a state: /spins, /sweep, /run_start, and the groups of the sampler. Collective;
/// `file` is the file of rank 0 and nullptr elsewhere.
void write_state(OutputFile* file, const Shape& shape, const SimulationState& state,
                 Ranks& ranks = single_rank());

/// Returns the path of an array of a sampler's state.
std::string state_dataset(const StateGroup& group, const StateArray& array);

/// Reads them back. Errors: InputError if a dataset does not have the shape that `shape` asks for or holds an
/// impossible value, or if a group has another version.
SimulationState read_state(const InputFile& file, const Shape& shape);

/// Where a state stands, without its spins.
struct StatePosition {
    std::int64_t sweep, run_start;
    std::optional<RunGrid> grid;  ///< of the runs that led to it; none: straight from thermalize
    std::int64_t measured() const { return sweep - run_start; }  ///< sweeps since the end of thermalization
};

/// Reads it from a file. Errors: InputError if the file is no state, if its thermalization is not complete,
/// or if it does not stand on its grid.
StatePosition read_position(const std::string& path);

/// Returns a hash of the state's content without its provenance. It does not depend on the number of ranks.
/// Collective.
std::string state_hash(const SimulationState& state, const Shape& shape = {}, Ranks& ranks = single_rank());

/// InputError if the physics of a state file differs from the physics of the parameters.
void check_state_physics(const std::string& path, const Parameters& parameters);

/// Reads a state file that a run with `identity` continues. Errors: InputError that names key and both values
/// for a state of another configuration, disorder file or batch.
SimulationState load_state(const std::string& path, const BatchIdentity& identity, const Shape& shape,
                           int threads = 1);

/// InputError if the state file at `path` belongs to another batch, has another past, or stands at a later
/// sweep than the state that will be written. relaxation: the relax_lines of a past without exchange (see
/// relaxation_file.hpp); empty: thermalize and pt-run made the state.
void check_existing_state(const std::string& path, const BatchIdentity& identity, std::int64_t sweep,
                          const std::string& relaxation = "");

}  // namespace psflip
