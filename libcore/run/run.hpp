#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "config/config.hpp"
#include "io/output/writer_lock.hpp"
#include "io/provenance.hpp"
#include "slab/ranks.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// How a simulation is carried out; nothing of it changes a result.
struct RunOptions {
    BackendChoice backend;
    ProgressMode progress = ProgressMode::automatic;
    Provenance provenance{};  ///< of the program; backend, device and input hashes are added here
    std::vector<const WriterLock*> locks{};  ///< of the outputs; nothing is written when one is lost
    bool force = false;                     ///< an output of another batch or of a longer run may be replaced
    Ranks* ranks = &single_rank();          ///< that share the lattices; rank 0 writes and holds the locks
    SiteOrder order = SiteOrder::standard;  ///< of slabs
};

/// The work of the program `thermalize`: the batch of `disorder_path` from the random start through
/// parameters.thermalize_sweeps sweeps with exchanges, to the state file `out`.
///
/// All calls of this header are collective: the ranks make them together, with the same arguments but
/// progress and locks. What all of them would find wrong, or rank 0, is thrown by all (Error::of_all_ranks).
///
/// Both programs save OUT.checkpoint.h5 every parameters.checkpoint.every_seconds and on a stop request
/// (base/stop.hpp), which then ends the call with Stopped; the same call again goes on from it, bit for bit
/// as if never stopped, and removes it at the end. A checkpoint that cannot be saved is an error only on a
/// stop request; else the call goes on with a warning. The programs hold WriterLocks of all outputs. Throw
/// InputError (inputs that are broken or do not fit the parameters or each other; a checkpoint of another
/// call; an output that is an input, or that would replace a longer one or one of another batch without
/// options.force) and EnvironmentError (no device, no memory, no disk space) and leave no incomplete file
/// under a final name.
void thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                const RunOptions& options);

/// The work of the program `pt-run`: from the state `state_path` on, sweeps with exchanges and measurements
/// until `until` sweeps since the end of thermalization, to the run file `out` and, unless empty, the state
/// file `state_out` for the next chunk. Either both outputs are complete or none is. until = 0:
/// parameters.run_sweeps, or, from a state that is not before that, twice the sweeps of the state; see
/// run_end in measure/run_grid.hpp for the values allowed. A state written by pt_run brings its grid of
/// blocks along: InputError where run.measure_every, run.blocks or run.histogram_bins are others.
void pt_run(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
            const std::string& out, const std::string& state_out, std::int64_t until,
            const RunOptions& options);

/// The work of the program `relax`: the batch from parameters.relax.start through sweeps without exchange,
/// measured at the times of run/relaxation.hpp, to the relaxation file `out` and, unless empty, the state
/// `state_out`, from which a call with a larger relax.last goes on. state_path: such a state, or with
/// relax.start = state any of the same physics, which is then the start; else empty. Checkpoints and errors
/// as above.
void relax(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
           const std::string& out, const std::string& state_out, const RunOptions& options);

/// What the programs check of their inputs, of what their outputs would replace and of checkpoints beside
/// them before they work, without working; for --validate. An empty name stands for a file that is not given;
/// a state without couplings is compared with the parameters alone. Errors as above.
void check_thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                      const RunOptions& options);
void check_pt_run(const Parameters& parameters, const std::string& disorder_path,
                  const std::string& state_path, const std::string& out, const std::string& state_out,
                  std::int64_t until, const RunOptions& options);
void check_relax(const Parameters& parameters, const std::string& disorder_path,
                 const std::string& state_path, const std::string& out, const std::string& state_out,
                 const RunOptions& options);

}  // namespace psflip
