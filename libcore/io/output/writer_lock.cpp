#include "io/output/writer_lock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/regular_file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/output/lock_owner.hpp"
#include "io/output/temporary_name.hpp"

namespace psflip {
namespace {

/// Reads a lock. Returns nothing if there is no file.
std::optional<std::string> read_text(const std::string& path) {
    constexpr std::size_t most = std::size_t{1} << 16;
    const char* remedy = "remove the lock and run the same command again";
    std::error_code ignored;
    if (std::filesystem::is_symlink(path, ignored))
        throw EnvironmentError(fmt::format("{}: this is a link, not a lock of psflip; {}", path, remedy));
    try {
        return read_if_there(path, "the lock", most);
    } catch (const InputError& error) {
        throw EnvironmentError(fmt::format("{}; this is not a lock of psflip, so {}", error.what(), remedy));
    }
}

/// Removes the lock if it still has this text.
void release(const std::string& path, const std::string& text) noexcept try {
    if (read_text(path) == text) unlink(path.c_str());
} catch (const std::exception& error) {
    spdlog::warn("{}", error.what());
}

/// Returns the owner of a lock as it appears in names of temporaries.
TemporaryWriter writer_in(const LockOwner& owner) {
    return {place_hash(owner.place), owner.process, std::max<std::int64_t>(0, owner.start)};
}

struct DeadOwner {
    LockOwner owner;
    std::string reason;  ///< why the owner is gone
};

/// Returns the owner in the text of the lock `path` of `out`. Errors: EnvironmentError unless that process is
/// gone.
DeadOwner dead_owner(const std::string& out, const std::string& path, const std::string& text,
                     const LockOwner& here) {
    const auto owner = parse_lock(text);
    if (!owner) {
        throw EnvironmentError(
            fmt::format("{}: the lock {} exists but does not name its owner; if nothing writes {}, remove "
                        "the lock and run the same command again",
                        out, path, out));
    }
    const auto [life, reason] = owner_state(*owner, here);
    if (life == OwnerState::Life::runs) {
        throw EnvironmentError(
            fmt::format("{} is being written by {}: {}; wait until it ends, or end it (lock: {})", out,
                        owner->description(), reason, path));
    }
    if (life == OwnerState::Life::unknown) {
        throw EnvironmentError(
            fmt::format("{} is being written by {}, and whether that process still runs cannot be seen from "
                        "here ({}); if it has ended{}, remove {} and run the same command again",
                        out, owner->description(), reason,
                        owner->slurm_job.empty() ? "" : " (squeue lists running jobs)", path));
    }
    return {*owner, reason};
}

/// Holds a lock for the duration of a block.
struct Held {
    const std::string path, text;
    ~Held() { release(path, text); }
};

/// Takes the lock `path` of `out`. A process that replaces the lock of a dead process first takes
/// `<path>.takeover`, a lock of this kind, and then checks that the lock is unchanged. So only one of several
/// processes replaces it, and a live lock is never replaced.
void take(const std::string& out, const std::string& path, const LockOwner& here, int depth) {
    const std::string text = here.text();
    constexpr int patience = 100, max_takeovers = 3;
    for (int attempt = 0; attempt < patience; ++attempt) {
        const auto found = read_text(path);
        if (!found && create_text_file(path, text)) return;
        if (!found) continue;  // another process was faster
        const auto [dead, reason] = dead_owner(out, path, *found, here);
        if (depth == max_takeovers) break;
        const std::string takeover = path + ".takeover";
        take(out, takeover, here, depth + 1);
        const Held guard{takeover, text};
        if (read_text(path) != *found) continue;
        remove_temporaries(
            out, [gone = writer_in(dead)](const TemporaryWriter& writer) { return writer == gone; });
        write_text_file(path, text);
        spdlog::warn("took over {} from {}: {}", printable(path), dead.description(), printable(reason));
        return;
    }
    throw EnvironmentError(
        fmt::format("{}: the lock {} keeps changing; if nothing writes {}, remove the lock and run the "
                    "same command again",
                    out, path, out));
}

}  // namespace

WriterLock::WriterLock(const std::string& out, const std::string& program)
    : out_(out), path_(out + ".lock"), guard_(out) {
    const LockOwner here = this_owner(program);
    take(out_, path_, here, 0);
    text_ = here.text();
    remove_temporaries(out_, is_gone);
}

WriterLock::~WriterLock() {
    release(path_, text_);
}

void WriterLock::check() const {
    if (read_text(path_) == text_) return;
    throw EnvironmentError(fmt::format(
        "{} is no longer this process's: the lock {} was removed or taken over; nothing more is written",
        out_, path_));
}

}  // namespace psflip
