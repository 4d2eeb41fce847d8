#pragma once

#include <string>
#include <vector>

#include "run/batch.hpp"

namespace psflip {

/// Where a relaxation begins or goes on.
struct RelaxStart {
    SimulationState state;          ///< run_start: the sweep at which the relaxation began
    std::vector<Snapshot> waiting;  ///< spins at waiting times up to here
};

/// InputError where relax.start and the state that is given, or not, do not go together. of_relaxation: relax
/// wrote it, which then goes on.
void check_relax_start(const Parameters& parameters, bool has_state, bool of_relaxation,
                       const std::string& state_path);

/// From a state file: of an earlier relax, or the start with relax.start = state. InputError as above, and
/// where the file is of another batch or relaxation.
RelaxStart read_relax_start(const Parameters& parameters, const std::string& path, const Batch& batch);

/// Random spins, or all up: Ising spins +1, vectors along z.
RelaxStart new_relax_start(const Parameters& parameters, const Batch& batch);

/// The spins at the start are those of the waiting time 0.
void remember_relax_start(const Parameters& parameters, RelaxStart& begin);

/// Sentences on what a relaxation that ends at this time (sweeps since the start) does not measure, though
/// its keys may ask for it: waiting times that it does not get beyond; overlaps of a single replica.
std::vector<std::string> relax_warnings(const Parameters& parameters, std::int64_t last);

}  // namespace psflip
