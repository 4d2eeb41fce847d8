// Does the work between a state and the end of one run file. `pt-run` calls it, and `audit` repeats it.
#pragma once

#include <string>
#include <vector>

#include "run/simulation.hpp"

namespace psflip {

/// Fills chunk.schedule, and the temperatures, range, grid, bins and measured quantities of chunk.run. The
/// run begins at `state` and covers `range`. The keys come from chunk.parameters. Errors: InputError if the
/// last sweep lies beyond the range of random numbers (max_sweeps), or if the run has fewer measurements than
/// snapshots.
void plan_run(SimulationCall& chunk, const StatePosition& state, const RunRange& range);

/// Returns the checkpoints of pt-run or audit next to `out`. program: "pt-run" or "audit".
CheckpointFile chunk_checkpoint(const SimulationCall& chunk, const std::string& out,
                                const std::string& program);

/// Does the sweeps from the state to the end of one run file. Sets the counts of exchanges in chunk.run and,
/// for vector spins, widths and acceptance of the cones. Collective. Errors: as run_simulation. inputs: the
/// disorder file, then the state.
void run_chunk(SimulationCall& chunk, CheckpointFile& checkpoint, const std::vector<std::string>& inputs,
               const RunOptions& options);

}  // namespace psflip
