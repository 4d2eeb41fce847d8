#pragma once

#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "lattice/shape.hpp"
#include "measure/bins.hpp"
#include "measure/measurement.hpp"
#include "run/simulation.hpp"
#include "run/state_file.hpp"

namespace psflip {

/// A simulation stopped between two sweeps.
struct Checkpoint {
    SimulationState state;
    Accumulators accumulators;        ///< of pt-run; empty while thermalizing
    std::vector<Snapshot> snapshots;  ///< taken so far
};

/// The checkpoint of one call, beside its output: OUT.checkpoint.h5. It can be resumed only by a call that
/// would have done the same from the start.
class CheckpointFile {
  public:
    /// call_lines: what beyond the identity of the batch must agree, "key: value" lines (see
    /// fingerprint.hpp). bins: of pt-run; default: the checkpoint has no accumulators.
    CheckpointFile(const std::string& out, BatchIdentity identity, std::string call_lines, const Shape& shape,
                   RunBins bins = {}, int histogram_bins = 0);

    const std::string& path() const { return path_; }
    bool exists() const;

    /// InputError that says to delete the file or to restore what differs, where it is corrupt or belongs to
    /// another call.
    Checkpoint load() const;
    /// Replaces an older one only when it is complete on disk; EnvironmentError (disk full, ...) leaves the
    /// older one. accumulators are not looked at while thermalizing.
    void save(const SimulationState& state, const Accumulators& accumulators,
              const std::vector<Snapshot>& snapshots, const Provenance& provenance) const;
    void remove() const;

  private:
    std::string path_;
    BatchIdentity identity_;
    std::string call_lines_;
    Shape shape_;
    RunBins bins_;
    int histogram_bins_;
};

}  // namespace psflip
