#include "run/checkpoint.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "config/physics_text.hpp"
#include "io/existing_file.hpp"
#include "io/file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/schema.hpp"
#include "run/run_file.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// Root attribute with the lines that a resuming call must have in common.
constexpr const char* call_attribute = "call";

bool there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

/// Describes a file with the name of a checkpoint.
std::string foreign_text(const std::string& path) {
    return path + " is not a checkpoint of psflip, but has the name of a checkpoint of this call";
}

/// Returns whether the file is missing, empty, a checkpoint or a damaged HDF5 file.
bool may_be_checkpoint(const std::string& path) {
    const ExistingFile file = existing_file(path);
    if (file.label) return file.label->kind == schema::checkpoint;
    return file.beginning.empty() || !file.damage.empty();
}

/// Looks at the seal first, because reading the whole file takes time.
bool may_replace(const std::string& path) {
    return is_sealed(path) || may_be_checkpoint(path);
}

}  // namespace

CheckpointFile::CheckpointFile(const std::string& out, const Batch& batch, std::string call_lines,
                               RunBins bins, int histogram_bins, const Measured& measured)
    : path_(out + ".checkpoint.h5"),
      previous_(out + ".checkpoint.previous.h5"),
      identity_(batch.identity),
      call_lines_(std::move(call_lines)),
      shape_(batch.shape),
      bins_(std::move(bins)),
      histogram_bins_(histogram_bins),
      measured_(measured),
      ranks_(batch.ranks),
      threads_(batch.threads) {}

bool CheckpointFile::exists() const {
    bool found = false;
    first_does(*ranks_, [&] {
        for (const std::string& path : {previous_, path_})
            if (!may_be_checkpoint(path))
                throw InputError(foreign_text(path) + "; move it away, or give the output another name");
        found = there(path_) || there(previous_);
    });
    return ranks_->maximum(found ? 1 : 0) == 1;
}

std::optional<Checkpoint> CheckpointFile::read(const std::string& path, std::string& damage) const {
    std::optional<Checkpoint> checkpoint;
    all_do(*ranks_, [&] { checkpoint = read_own(path, damage); });
    if (ranks_->maximum(checkpoint ? 0 : 1) == 0) {
        check_same_on_ranks(*ranks_, {{"sweep in " + path, std::to_string(checkpoint->state.sweep)}});
        return checkpoint;
    }
    if (damage.empty()) damage = path + ": another rank cannot read it";
    return std::nullopt;
}

std::optional<Checkpoint> CheckpointFile::read_own(const std::string& path, std::string& damage) const {
    BatchIdentity stored;
    std::string call;
    try {
        const InputFile file(path, schema::checkpoint);
        stored = read_identity(file);
        call = file.text_attribute(call_attribute);
    } catch (const InputError& error) {
        damage = error.what();
        return std::nullopt;
    }
    check_same_physics(
        "checkpoint " + path, stored.lines() + call, "this call", identity_.lines() + call_lines_,
        "restore the earlier value to continue, or delete the checkpoint to start the call again");
    try {
        const InputFile file(path, schema::checkpoint, threads_);
        Checkpoint checkpoint;
        checkpoint.state = read_state(file, shape_);
        if (bins_.count() > 0)
            checkpoint.accumulators = read_accumulators(file, shape_, bins_, histogram_bins_, measured_);
        checkpoint.snapshots = read_snapshots(file, shape_);
        checkpoint.usage = read_usage(file);
        return checkpoint;
    } catch (const InputError& error) {
        damage = error.what();
        return std::nullopt;
    }
}

Checkpoint CheckpointFile::load() {
    std::string damage, damage_before;
    auto checkpoint = read(path_, damage);
    loaded_ = path_;
    newest_good_ = checkpoint.has_value();
    if (!checkpoint) {
        all_do(*ranks_, [&] {
            if (!there(previous_))
                throw InputError(damage + "; delete this checkpoint to start the call again");
        });
        checkpoint = read(previous_, damage_before);
        all_do(*ranks_, [&] {
            if (!checkpoint)
                throw InputError(
                    fmt::format("{}; the checkpoint before it is damaged, too: {}; delete both checkpoints "
                                "to start the call again",
                                damage, damage_before));
        });
        loaded_ = previous_;
        spdlog::warn("{}; psflip continues from the checkpoint before it, {}", damage, previous_);
    }
    sweep_ = checkpoint->state.sweep;
    return std::move(*checkpoint);
}

void CheckpointFile::write(const SimulationState& state, const Accumulators& accumulators,
                           const std::vector<Snapshot>& snapshots, const Provenance& provenance,
                           const Usage& usage) {
    std::optional<OutputFile> file;
    first_does(*ranks_, [&] {
        file.emplace(path_, schema::checkpoint, provenance,
                     run_datasets(shape_.dimension, measured_.field, shape_.has_vectors()), threads_);
        write_identity(*file, identity_);
        file->attribute(call_attribute, call_lines_);
        write_usage(*file, usage);
    });
    OutputFile* const to = file ? &*file : nullptr;
    write_state(to, shape_, state, *ranks_);
    first_does(*ranks_, [&] {
        if (bins_.count() > 0) write_accumulators(*file, bins_, accumulators);
    });
    write_snapshots(to, shape_, snapshots, *ranks_);
    first_does(*ranks_, [&] {
        file->finish();
        commit(*file);
    });
    newest_good_ = true;
    sweep_ = state.sweep;
}

void CheckpointFile::commit(OutputFile& file) const {
    for (const std::string& path : {path_, previous_})
        if (!may_replace(path)) throw EnvironmentError(foreign_text(path) + "; move it away");
    std::error_code error;
    if (newest_good_ && there(path_)) std::filesystem::rename(path_, previous_, error);
    if (error) throw_write_error(previous_, error.message());
    file.commit();
}

void CheckpointFile::save(const SimulationState& state, const Accumulators& accumulators,
                          const std::vector<Snapshot>& snapshots, const Provenance& provenance,
                          const Usage& usage) {
    with_room([&] { write(state, accumulators, snapshots, provenance, usage); });
}

void CheckpointFile::with_room(const std::function<void()>& write) const {
    try {
        write();
    } catch (const DiskFullError& full) {
        bool room = false;
        first_does(*ranks_, [&] {
            std::error_code error;
            room = newest_good_ && there(path_) && std::filesystem::remove(previous_, error);
        });
        if (ranks_->maximum(room ? 1 : 0) == 0) throw;
        spdlog::warn("{}; psflip removed {} to make room", full.what(), previous_);
        write();
    }
}

void CheckpointFile::remove() const {
    if (!ranks_->is_first()) return;
    for (const std::string& path : {previous_, path_}) {
        if (!may_replace(path)) {
            spdlog::warn("{}; the file stays", foreign_text(path));
            continue;
        }
        std::error_code error;
        std::filesystem::remove(path, error);
        if (error) spdlog::warn("cannot remove the checkpoint {}: {}", path, error.message());
    }
}

}  // namespace psflip
