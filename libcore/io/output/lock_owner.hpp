#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/process.hpp"

namespace psflip {

/// Describes the owner of a lock file, which has the lines "key: value".
struct LockOwner {
    std::string program;  ///< such as "pt-run"
    ProcessPlace place;
    std::int64_t process = 0;
    std::int64_t start = 0;           ///< process_start(process)
    std::string slurm_cluster;        ///< empty outside Slurm
    std::string slurm_job;            ///< SLURM_JOB_ID; each task of an array has its own
    std::int64_t slurm_restarts = 0;  ///< number of times that Slurm requeued and restarted the job
    std::string since;                ///< UTC, for readers only
    bool operator==(const LockOwner&) const = default;

    /// Returns the text of the lock file.
    std::string text() const;
    /// Returns the name of one start of a Slurm job, such as "cluster/55/0".
    std::string slurm_start() const;
    /// Returns a description such as "pt-run, process 4711 on node17 (Slurm job 55) since
    /// 2026-11-21T08:15:00Z". The text is printable, because anybody may have written the lock.
    std::string description() const;
};

/// Parses a lock file. Returns nothing for an incomplete text.
std::optional<LockOwner> parse_lock(const std::string& text);

/// Returns the description of this process.
LockOwner this_owner(const std::string& program);

/// Names the environment variable with the starts of Slurm jobs that have ended, as slurm_start() writes
/// them, separated by commas. psflip calls no scheduler; workflows/psflip/jobs/locks.py sets the variable.
constexpr const char* ended_jobs_variable = "PSFLIP_ENDED_JOBS";

/// Says whether the owner still works, as far as `here` can see, and why.
struct OwnerState {
    enum class Life { runs, gone, unknown } life;
    std::string reason;
};

/// Finds out whether the owner still works. The first condition that holds decides:
/// - If it worked in this process namespace since the last start of the machine: whether the process exists.
///   A later process with the same number does not count.
/// - If it worked on this machine before the last start of the machine: gone.
/// - If ended_jobs_variable lists slurm_start() of the owner, or if `here` is a later start of the owner's
///   Slurm job: gone.
/// - Otherwise: unknown.
OwnerState owner_state(const LockOwner& owner, const LockOwner& here);

}  // namespace psflip
