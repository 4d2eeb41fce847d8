#pragma once

#include <string>
#include <vector>

#include "run/batch.hpp"
#include "run/checkpoint.hpp"
#include "run/run_file.hpp"
#include "run/schedule.hpp"

namespace psflip {

/// The work between a state and the end of one run file, and what comes out of it.
struct Chunk {
    Batch batch;  ///< its couplings are freed when the work begins, if no test of the hottest slot follows
    SimulationState start;
    Schedule schedule;
    /// Given: identity, temperatures, range, grid, bins and what is measured. Made: accumulators, counts,
    /// snapshots.
    RunData run;
    SimulationState end;    ///< made
    Provenance provenance;  ///< made: of the outputs
};

/// From a state on to `until` sweeps since the end of thermalization. InputError where there are no random
/// numbers for so many sweeps or fewer measurements than snapshots.
Schedule run_schedule(const Parameters& parameters, const StatePosition& state, std::int64_t until);

/// What the runs of a study measure.
Measured measured_by(const Parameters& parameters);

/// The checkpoints of a chunk: `out` and what else identifies the call beside batch, state and range.
CheckpointFile chunk_checkpoint(const Chunk& chunk, const std::string& out, const std::string& program);

/// Does the work, from the checkpoint where there is one. Errors and stops as simulate(). inputs: the
/// disorder and state files, for the provenance.
void run_chunk(Chunk& chunk, const Parameters& parameters, CheckpointFile& checkpoint, UsageMeter& usage,
               const std::vector<std::string>& inputs, const RunOptions& options);

}  // namespace psflip
