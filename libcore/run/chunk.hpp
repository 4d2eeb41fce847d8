#pragma once

#include <string>
#include <vector>

#include "run/simulation.hpp"

namespace psflip {

/// Sets schedule and range of a run from a state on, and what it measures, from the parameters of the call.
/// Errors: InputError if random numbers do not suffice for all sweeps, or if there are fewer measurements
/// than snapshots.
void plan_run(SimulationCall& chunk, const StatePosition& state, const RunRange& range);

/// Returns the checkpoints of pt-run or audit next to `out`.
CheckpointFile chunk_checkpoint(const SimulationCall& chunk, const std::string& out,
                                const std::string& program);

/// Does the work between a state and the end of one run file, and counts its exchanges. Errors and stops as
/// run_simulation. inputs: the disorder file and the state.
void run_chunk(SimulationCall& chunk, CheckpointFile& checkpoint, const std::vector<std::string>& inputs,
               const RunOptions& options);

}  // namespace psflip
