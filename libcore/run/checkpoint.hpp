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

/// A simulation stopped between two sweeps.
struct Checkpoint {
    SimulationState state;
    Accumulators accumulators;        ///< of pt-run; empty while thermalizing
    std::vector<Snapshot> snapshots;  ///< taken so far
    Usage usage;                      ///< of the calls so far
};

/// The checkpoints of one call, beside its output: OUT.checkpoint.h5 and, kept for the case that this one is
/// damaged, the one before: OUT.checkpoint.previous.h5. They can be resumed only by a call that would have
/// done the same from the start. At any moment, whenever the process dies, one complete checkpoint has its
/// name. Functions that are not const are collective, and exists, with_room and remove: rank 0 writes, every
/// rank reads its own planes.
class CheckpointFile {
  public:
    /// call_lines: "key: value" lines that must agree in addition to the identity of the batch. Without bins
    /// the checkpoint has no accumulators.
    CheckpointFile(const std::string& out, const Batch& batch, std::string call_lines, RunBins bins = {},
                   int histogram_bins = 0, const Measured& measured = {});

    const std::string& path() const { return path_; }
    const std::string& previous_path() const { return previous_; }
    /// Either of them. InputError where a file of such a name is no checkpoint of psflip's, which would be
    /// lost.
    bool exists() const;

    /// The newest; where that is damaged or missing the one before, with a warning. InputError that says to
    /// delete the files or to restore what differs, where none can be read or one belongs to another call.
    Checkpoint load();
    /// The file that load() took.
    const std::string& loaded_path() const { return loaded_; }
    /// The newest becomes the previous one, when this one is complete on disk. On a full disk the previous
    /// one is given up for it. EnvironmentError leaves the newest. accumulators are not looked at while
    /// thermalizing.
    void save(const SimulationState& state, const Accumulators& accumulators,
              const std::vector<Snapshot>& snapshots, const Provenance& provenance, const Usage& usage);
    /// Completed sweeps of the newest good one, loaded or saved by this object.
    std::optional<std::int64_t> sweep() const { return sweep_; }
    /// Calls `write`, which is collective; on a full disk once more, with the previous checkpoint given up
    /// for it.
    void with_room(const std::function<void()>& write) const;
    /// What psflip did not make stays, with a warning.
    void remove() const;

  private:
    /// Nothing, and why in `damage`, where the file is missing or damaged, be it for one rank only.
    std::optional<Checkpoint> read(const std::string& path, std::string& damage) const;
    std::optional<Checkpoint> read_own(const std::string& path, std::string& damage) const;
    void write(const SimulationState& state, const Accumulators& accumulators,
               const std::vector<Snapshot>& snapshots, const Provenance& provenance, const Usage& usage);
    /// The complete file gets the name of the newest, which gets that of the previous one.
    void commit(OutputFile& file) const;

    std::string path_, previous_, loaded_;
    BatchIdentity identity_;
    std::string call_lines_;
    Shape shape_;
    RunBins bins_;
    int histogram_bins_;
    Measured measured_;
    Ranks* ranks_;
    int threads_;              ///< that pack and unpack the files, 0: all cores
    bool newest_good_ = true;  ///< false: it is damaged and must not become the previous one
    std::optional<std::int64_t> sweep_;
};

}  // namespace psflip
