// Declares the work of thermalize, pt-run and relax: one library call for each program, and one for its
// --validate.
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

/// Says how a simulation is carried out. No member changes a result. RunOptions owns neither locks nor ranks.
struct RunOptions {
    BackendChoice backend;
    ProgressMode progress = ProgressMode::automatic;
    Provenance provenance{};  ///< of the program; the library adds backend, device and hashes of inputs
    std::vector<const WriterLock*> locks{};  ///< locks of the outputs; nothing is written if one is lost
    bool force = false;             ///< an output of another batch or of a longer run may be replaced
    Ranks* ranks = &single_rank();  ///< ranks that share the lattices; rank 0 writes and holds the locks
    SiteOrder order = SiteOrder::standard;  ///< site order of slabs; whole lattices ignore it
};

/// All calls of this header are collective. The ranks call them together, with equal arguments except for
/// progress and locks. An error that all ranks, or rank 0, find is thrown by all ranks (Error::of_all_ranks).
///
/// The three programs save OUT.checkpoint.h5 every parameters.checkpoint.every_seconds and on a stop request
/// (base/stop.hpp). A stop request ends the call with Stopped. The same call then resumes from the checkpoint
/// and removes it at the end. Its results equal the results of an uninterrupted call, bit for bit. A
/// checkpoint that cannot be saved is an error only on a stop request; otherwise the call continues with a
/// warning. Either all outputs are complete or none exists.
///
/// Errors: InputError for inputs that are broken or do not fit the parameters or each other, and for a
/// checkpoint of another call. InputError also for an output that is an input. Without options.force,
/// InputError for an output that would replace a longer run or another batch. EnvironmentError if a device,
/// memory or disk space is missing, if the lock of an output is lost, and if another process wrote an output.

/// `thermalize`: takes the batch of `disorder_path` from the random start through
/// parameters.thermalize_sweeps sweeps with exchanges. Writes the state file `out`.
void thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                const RunOptions& options);

/// `pt-run`: continues the state `state_path` with sweeps, exchanges and measurements. Writes the run file
/// `out` and, unless `state_out` is empty, the state for the next chunk.
/// until: sweeps since the end of thermalization at which the run ends; run_end in measure/run_grid.hpp lists
/// the allowed values. 0 takes parameters.run_sweeps, or twice the sweeps of the state if the state is
/// already that far.
/// A state that pt_run wrote fixes the grid of blocks. Errors: InputError if run.measure_every, run.blocks or
/// run.histogram_bins differ from that grid.
void pt_run(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
            const std::string& out, const std::string& state_out, std::int64_t until,
            const RunOptions& options);

/// `relax`: takes the batch from parameters.relax.start through sweeps without exchange, and measures at
/// relax_times (run/relaxation.hpp). Writes the relaxation file `out` and, unless `state_out` is empty, the
/// state from which a call with a larger relax.last continues.
/// state_path: the `state_out` of an earlier call; or, with relax.start = state, any state of the same
/// physics as the start; otherwise empty.
void relax(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
           const std::string& out, const std::string& state_out, const RunOptions& options);

/// Check for --validate what the programs check of their inputs, outputs and checkpoints before they work. An
/// empty name stands for a file that is not given. A state without a disorder file is compared with the
/// parameters alone. Errors: as the programs.
void check_thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                      const RunOptions& options);
void check_pt_run(const Parameters& parameters, const std::string& disorder_path,
                  const std::string& state_path, const std::string& out, const std::string& state_out,
                  std::int64_t until, const RunOptions& options);
void check_relax(const Parameters& parameters, const std::string& disorder_path,
                 const std::string& state_path, const std::string& out, const std::string& state_out,
                 const RunOptions& options);

}  // namespace psflip
