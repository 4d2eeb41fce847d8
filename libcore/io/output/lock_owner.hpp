#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/process.hpp"

namespace psflip {

/// Who holds a lock file: its lines "key: value".
struct LockOwner {
    std::string program;  ///< "pt-run"
    ProcessPlace place;
    std::int64_t process = 0;
    std::int64_t start = 0;           ///< process_start(process)
    std::string slurm_cluster;        ///< empty outside Slurm, as the job
    std::string slurm_job;            ///< SLURM_JOB_ID, of an array each task has its own
    std::int64_t slurm_restarts = 0;  ///< times that the job was put back into the queue and started again
    std::string since;                ///< UTC, for people only
    bool operator==(const LockOwner&) const = default;

    std::string text() const;
    /// Names one start of a Slurm job: "cluster/55/0".
    std::string slurm_start() const;
    /// "pt-run, process 4711 on node17 (Slurm job 55) since 2026-11-21T08:15:00Z", printable: anybody may
    /// have written the lock
    std::string description() const;
};

/// Nothing where the text is not that of a complete lock file.
std::optional<LockOwner> parse_lock(const std::string& text);

/// This process.
LockOwner this_owner(const std::string& program);

/// Environment variable with the starts of Slurm jobs that have ended, as slurm_start() writes them,
/// separated by commas. psflip asks no scheduler. What starts a program does
/// (workflows/psflip/jobs/locks.py).
constexpr const char* ended_jobs_variable = "PSFLIP_ENDED_JOBS";

/// Whether the owner still works, as far as `here` can see, and the reason for the verdict.
struct OwnerState {
    enum class Life { runs, gone, unknown } life;
    std::string reason;
};

/// - In the same process namespace of the same running kernel: whether that process, not a later one of its
///   number, is there.
/// - On the same machine started again since: gone.
/// - If ended_jobs_variable lists its start of its Slurm job, or if `here` is a later start: gone.
/// - Otherwise unknown.
OwnerState owner_state(const LockOwner& owner, const LockOwner& here);

}  // namespace psflip
