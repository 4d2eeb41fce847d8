#pragma once

#include <string>
#include <vector>

#include "run/simulation.hpp"

namespace psflip {

/// Returns the schedule from a state to `until` sweeps since the end of thermalization. Errors: InputError if
/// random numbers do not suffice for so many sweeps, or if there are fewer measurements than snapshots.
Schedule run_schedule(const Parameters& parameters, const StatePosition& state, std::int64_t until);

/// Returns what the runs of a study measure.
Measured measured_by(const Parameters& parameters);

/// Returns the checkpoints of pt-run or audit next to `out`.
CheckpointFile chunk_checkpoint(const SimulationCall& chunk, const std::string& out,
                                const std::string& program);

/// Does the work between a state and the end of one run file, and counts its exchanges. Errors and stops as
/// run_simulation. inputs: the disorder file and the state.
void run_chunk(SimulationCall& chunk, CheckpointFile& checkpoint, const std::vector<std::string>& inputs,
               const RunOptions& options);

}  // namespace psflip
