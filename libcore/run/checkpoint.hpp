#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "io/usage.hpp"
#include "measure/measurement.hpp"
#include "measure/run_grid.hpp"
#include "run/batch.hpp"
#include "run/run_loop.hpp"

namespace psflip {

/// Holds a simulation that stopped between two sweeps.
struct Checkpoint {
    SimulationState state;
    Accumulators accumulators;        ///< sums of the measurements; empty while thermalizing
    std::vector<Snapshot> snapshots;  ///< snapshots taken so far
    Usage usage;                      ///< resources of the calls so far
};

/// Manages the two checkpoints of one call, next to its output OUT. OUT.checkpoint.h5 is the newest
/// checkpoint. OUT.checkpoint.previous.h5 is its predecessor, in case the newest is damaged. A later call can
/// resume from a checkpoint only if the call has the same batch and the same `call_lines`. From the first
/// checkpoint on, one of the two files is always complete, even if the process dies.
///
/// All non-const functions are collective, and so are exists, with_room and remove. Rank 0 writes. Every rank
/// reads its own planes.
class CheckpointFile {
  public:
    /// out: path of the output. call_lines: "key: value" lines that must agree in addition to the identity of
    /// the batch. If `bins` has no bins, the checkpoint has no accumulators. The ranks of the batch must
    /// outlive this object.
    CheckpointFile(const std::string& out, const Batch& batch, std::string call_lines, RunBins bins = {},
                   int histogram_bins = 0, const Measured& measured = {});

    const std::string& path() const { return path_; }
    const std::string& previous_path() const { return previous_; }
    /// Returns whether one of the two files exists. Errors: InputError if a file with such a name is not a
    /// checkpoint of psflip, because it would be lost.
    bool exists() const;

    /// Loads the newest checkpoint. If it is damaged or missing, loads its predecessor with a warning.
    /// Errors: InputError if neither can be read or if the checkpoint belongs to another call. The message
    /// says which files to delete or what to restore.
    Checkpoint load();
    /// Returns the path of the file that load() took.
    const std::string& loaded_path() const { return loaded_; }
    /// Writes a checkpoint. When the new checkpoint is complete on disk, the newest so far becomes the
    /// predecessor. On a full disk, writing is tried again as in with_room. Accumulators are ignored while
    /// thermalizing. Errors: EnvironmentError if the file cannot be written; the newest checkpoint so far, if
    /// there is one, then stays.
    void save(const SimulationState& state, const Accumulators& accumulators,
              const std::vector<Snapshot>& snapshots, const Provenance& provenance, const Usage& usage);
    /// Returns the completed sweeps of the newest good checkpoint that this object loaded or saved, or
    /// nothing.
    std::optional<std::int64_t> sweep() const { return sweep_; }
    /// Calls `write`, which is collective. If the disk is full and the newest checkpoint is good, deletes the
    /// previous checkpoint and calls `write` once more. Errors: as `write`.
    void with_room(const std::function<void()>& write) const;
    /// Removes the checkpoints. Leaves files that psflip did not make, with a warning.
    void remove() const;

  private:
    /// Returns nothing if the file is missing or damaged for any rank. `damage` then gets the reason.
    std::optional<Checkpoint> read(const std::string& path, std::string& damage) const;
    /// Reads the file for the calling rank alone. Not collective.
    std::optional<Checkpoint> read_own(const std::string& path, std::string& damage) const;
    void write(const SimulationState& state, const Accumulators& accumulators,
               const std::vector<Snapshot>& snapshots, const Provenance& provenance, const Usage& usage);
    /// Renames the newest to the previous checkpoint, and the complete file to the newest.
    void commit(OutputFile& file) const;

    std::string path_, previous_, loaded_;
    BatchIdentity identity_;
    std::string call_lines_;
    Shape shape_;
    RunBins bins_;
    int histogram_bins_;
    Measured measured_;
    Ranks* ranks_;
    int threads_;              ///< threads that pack and unpack the files; 0: all cores
    bool newest_good_ = true;  ///< false: the newest is damaged and must not become the previous one
    std::optional<std::int64_t> sweep_;
};

}  // namespace psflip
