#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "evolution/tempering_state.hpp"
#include "io/file.hpp"
#include "lattice/shape.hpp"
#include "measure/run_grid.hpp"
#include "slab/ranks.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// What identifies a batch: the disorder it lives on and the physics it was simulated with.
struct BatchIdentity {
    std::int64_t first_realization = 0;
    std::int64_t realizations = 0;
    int L = 0;
    std::string physics;         ///< Parameters::physics_yaml()
    std::string couplings_hash;  ///< XXH64 of the int8 couplings
    /// Empty where gen-disorder drew them, see disorder/couplings.hpp. Only written: the hash tells couplings
    /// apart.
    std::string couplings_origin{};

    /// What must agree, as "key: value" lines, for comparing (see config/physics_text.hpp).
    std::string lines() const;
};

/// A batch at one moment: all that an exact continuation needs.
struct SimulationState {
    std::int64_t sweep = 0;       ///< completed sweeps since the random start
    std::int64_t run_start = -1;  ///< completed sweeps when thermalize ended; -1 while thermalizing
    /// Ensemble::held_spins: canonical, (replica, temperature, pack64, z, y, x), of a rank its own; bits of
    /// sites where those of whole lattices are lanes. Vectors: VectorBatch::spins.
    std::vector<std::uint64_t> spins;
    TemperingState tempering;  ///< counts since the random start
    MoveState moves{};         ///< of vector spins
    bool operator==(const SimulationState&) const = default;
};

/// The shape of a batch: sizes from the disorder file, the rest from the parameters.
Shape batch_shape(const Parameters& parameters, std::int64_t first_realization, std::int64_t realizations);

/// Root attributes of state, run and checkpoint files.
void write_identity(OutputFile& file, const BatchIdentity& identity);
BatchIdentity read_identity(const InputFile& file);

/// The datasets of a state: /spins, /sweep, /run_start, /tempering/.... With one temperature the counts of
/// pairs have no elements.
/// Collective; `file` is that of rank 0 and nullptr elsewhere.
void write_state(OutputFile* file, const Shape& shape, const SimulationState& state,
                 Ranks& ranks = single_rank());

/// Reads them back; InputError where a dataset does not have the shape that `shape` asks for or holds an
/// impossible value.
SimulationState read_state(const InputFile& file, const Shape& shape);

/// Where a state stands, without its spins.
struct StatePosition {
    std::int64_t sweep, run_start;
    std::optional<RunGrid> grid;  ///< of the runs that led to it; none: straight from thermalize
    std::int64_t measured() const { return sweep - run_start; }  ///< sweeps since the end of thermalization
};

/// InputError where the file is no state, its thermalization is not complete, or it does not stand on its
/// grid.
StatePosition read_position(const std::string& path);

/// Identity of the state's content: of everything but provenance, and of whole lattices whoever has them.
/// Collective.
std::string state_hash(const SimulationState& state, const Shape& shape = {}, Ranks& ranks = single_rank());

/// InputError where the physics of a state file is not that of the parameters.
void check_state_physics(const std::string& path, const Parameters& parameters);

/// Opens a state file that a run with `identity` continues: InputError naming key and both values for a
/// state of another configuration, disorder file or batch.
SimulationState load_state(const std::string& path, const BatchIdentity& identity, const Shape& shape,
                           int threads = 1);

}  // namespace psflip
