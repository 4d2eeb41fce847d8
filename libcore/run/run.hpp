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

/// How a simulation is carried out. No member changes a result.
struct RunOptions {
    BackendChoice backend;
    ProgressMode progress = ProgressMode::automatic;
    Provenance provenance{};  ///< of the program; the library adds backend, device and input hashes
    std::vector<const WriterLock*> locks{};  ///< of the outputs; nothing is written if one is lost
    bool force = false;                     ///< an output of another batch or of a longer run may be replaced
    Ranks* ranks = &single_rank();          ///< that share the lattices; rank 0 writes and holds the locks
    SiteOrder order = SiteOrder::standard;  ///< of slabs
};

/// The work of the programs. All calls of this header are collective: the ranks make them together, with the
/// same arguments except for progress and locks. An error that all ranks, or rank 0, find is thrown by all
/// (Error::of_all_ranks).
///
/// All three save OUT.checkpoint.h5 every parameters.checkpoint.every_seconds and on a stop request
/// (base/stop.hpp), which then ends the call with Stopped. The same call resumes from the checkpoint, with
/// the results of an uninterrupted call, bit for bit, and removes it at the end. A checkpoint that cannot be
/// saved is an error only on a stop request; otherwise the call continues with a warning. Either all outputs
/// are complete or none is.
///
/// Errors: InputError for inputs that are broken or do not fit the parameters or each other, for a checkpoint
/// of another call, and for an output that is an input or that would replace a longer one or one of another
/// batch without options.force. EnvironmentError if a device, memory or disk space is missing.

/// `thermalize`: takes the batch of `disorder_path` from the random start through
/// parameters.thermalize_sweeps sweeps with exchanges to the state file `out`.
void thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                const RunOptions& options);

/// `pt-run`: continues from the state `state_path` with sweeps, exchanges and measurements, up to `until`
/// sweeps since the end of thermalization. Writes the run file `out` and, unless empty, the state `state_out`
/// for the next chunk. until = 0 means parameters.run_sweeps, or, from a state at or beyond that, twice the
/// sweeps of the state; run_end in measure/run_grid.hpp says which values are allowed. A state that pt_run
/// wrote brings its grid of blocks along: InputError if run.measure_every, run.blocks or run.histogram_bins
/// differ.
void pt_run(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
            const std::string& out, const std::string& state_out, std::int64_t until,
            const RunOptions& options);

/// `relax`: takes the batch from parameters.relax.start through sweeps without exchange, measured at the
/// times of run/relaxation.hpp. Writes the relaxation file `out` and, unless empty, the state `state_out`,
/// from which a call with a larger relax.last continues. state_path: such a state, or, with relax.start =
/// state, any state of the same physics, which is then the start; otherwise empty.
void relax(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
           const std::string& out, const std::string& state_out, const RunOptions& options);

/// Check, for --validate, what the programs check of their inputs, outputs and checkpoints before they work.
/// An empty name stands for a file that is not given; a state without couplings is compared with the
/// parameters alone. Errors: as above.
void check_thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                      const RunOptions& options);
void check_pt_run(const Parameters& parameters, const std::string& disorder_path,
                  const std::string& state_path, const std::string& out, const std::string& state_out,
                  std::int64_t until, const RunOptions& options);
void check_relax(const Parameters& parameters, const std::string& disorder_path,
                 const std::string& state_path, const std::string& out, const std::string& state_out,
                 const RunOptions& options);

}  // namespace psflip
