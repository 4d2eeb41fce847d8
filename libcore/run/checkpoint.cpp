#include "run/checkpoint.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "config/physics_text.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "run/run_file.hpp"

namespace psflip {
namespace {

/// Root attribute: the lines that a resuming call must have in common.
constexpr const char* call_attribute = "call";

}  // namespace

CheckpointFile::CheckpointFile(const std::string& out, BatchIdentity identity, std::string call_lines,
                               const Shape& shape, RunBins bins, int histogram_bins)
    : path_(out + ".checkpoint.h5"),
      identity_(std::move(identity)),
      call_lines_(std::move(call_lines)),
      shape_(shape),
      bins_(std::move(bins)),
      histogram_bins_(histogram_bins) {}

bool CheckpointFile::exists() const {
    std::error_code ignored;
    return std::filesystem::exists(path_, ignored);
}

Checkpoint CheckpointFile::load() const {
    BatchIdentity stored;
    std::string call;
    Checkpoint checkpoint;
    try {
        const InputFile file(path_, schema::checkpoint);
        stored = read_identity(file);
        call = file.text_attribute(call_attribute);
    } catch (const InputError& error) {
        throw InputError(std::string(error.what()) + "; delete this checkpoint to start the call again");
    }
    check_same_physics("checkpoint " + path_, stored.lines() + call, "this call",
                       identity_.lines() + call_lines_,
                       "restore that to go on, or delete the checkpoint to start the call again");
    try {
        const InputFile file(path_, schema::checkpoint);
        checkpoint.state = read_state(file, shape_);
        if (bins_.count() > 0)
            checkpoint.accumulators = read_accumulators(file, shape_, bins_, histogram_bins_);
        checkpoint.snapshots = read_snapshots(file);
    } catch (const InputError& error) {
        throw InputError(std::string(error.what()) + "; delete this checkpoint to start the call again");
    }
    return checkpoint;
}

void CheckpointFile::save(const SimulationState& state, const Accumulators& accumulators,
                          const std::vector<Snapshot>& snapshots, const Provenance& provenance) const {
    OutputFile file(path_, schema::checkpoint, provenance);
    write_identity(file, identity_);
    file.attribute(call_attribute, call_lines_);
    write_state(file, shape_, state);
    // plain: after a stop request every second counts
    if (bins_.count() > 0) write_accumulators(file, bins_, accumulators, Storage::plain);
    write_snapshots(file, shape_, snapshots);
    file.commit();
}

void CheckpointFile::remove() const {
    std::error_code error;
    std::filesystem::remove(path_, error);
    if (error) spdlog::warn("cannot remove the checkpoint {}: {}", path_, error.message());
}

}  // namespace psflip
