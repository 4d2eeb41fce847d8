#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/process.hpp"

namespace psflip {

/// The process that writes a temporary.
struct TemporaryWriter {
    std::string place;  ///< place_hash of where it runs
    std::int64_t process = 0;
    std::int64_t start = 0;  ///< process_start(process); 0 where the system does not tell
    bool operator==(const TemporaryWriter&) const = default;
};

/// 16 hex digits that tell machine, boot and process namespace from others; empty where the system does not
/// tell boot or namespace.
std::string place_hash(const ProcessPlace& place);

/// This process.
TemporaryWriter this_writer();

/// `<path>.tmp-<place>-<process>-<start>-<number>`; all names of one writer differ by `number`.
std::string temporary_name(const std::string& path, const TemporaryWriter& writer, unsigned number);

/// The writer of a temporary of `out`, of its checkpoints or of its lock, by the name of a file in the folder
/// of `out` ("run.h5.checkpoint.h5.tmp-..."); nothing where it is none.
std::optional<TemporaryWriter> writer_of(const std::string& out, const std::string& name);

/// Whether that process certainly is gone: it ran on this machine, since its last start and in this process
/// namespace, and is there no more.
bool is_gone(const TemporaryWriter& writer);

/// Removes those temporaries that writer_of knows and whose writer is `gone`. For the holder of the lock of
/// `out`.
void remove_temporaries(const std::string& out, const std::function<bool(const TemporaryWriter&)>& gone);

}  // namespace psflip
