#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/process.hpp"

namespace psflip {

/// Identifies the process that writes a temporary file.
struct TemporaryWriter {
    std::string place;  ///< place_hash() of the place of the process
    std::int64_t process = 0;
    std::int64_t start = 0;  ///< process_start(process); 0 if unknown
    bool operator==(const TemporaryWriter&) const = default;
};

/// Returns 16 hex digits for machine, boot and process namespace, or an empty string if boot or namespace are
/// unknown.
std::string place_hash(const ProcessPlace& place);

/// Returns the description of this process.
TemporaryWriter this_writer();

/// Returns `<path>.tmp-<place>-<process>-<start>-<number>`. `number` distinguishes the files of one writer.
std::string temporary_name(const std::string& path, const TemporaryWriter& writer, unsigned number);

/// Returns the writer of the file `name` in the folder of `out`, for example "run.h5.checkpoint.h5.tmp-...".
/// Returns nothing unless `name` is a temporary of `out`, of its checkpoints or of its lock.
std::optional<TemporaryWriter> writer_of(const std::string& out, const std::string& name);

/// Returns whether the writer is certainly gone: it ran in this process namespace since the last start of
/// this machine, and does not exist any more.
bool is_gone(const TemporaryWriter& writer);

/// Removes temporaries of `out`, its checkpoints and its lock for whose writers `gone` returns true. Only the
/// holder of the lock of `out` may call this function.
void remove_temporaries(const std::string& out, const std::function<bool(const TemporaryWriter&)>& gone);

}  // namespace psflip
