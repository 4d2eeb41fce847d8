#include "io/output/lock_owner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "base/printable.hpp"
#include "io/provenance.hpp"

namespace psflip {
namespace {

using Life = OwnerState::Life;

std::optional<std::int64_t> number(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

/// SLURM_CLUSTER_NAME of a job; elsewhere what Slurm's configuration says, empty without Slurm.
std::string cluster_name(const LockOwner& here) {
    if (!here.slurm_cluster.empty()) return here.slurm_cluster;
    std::istringstream lines(run_command("timeout 30 scontrol show config").output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key, equals, value;
        if (words >> key >> equals >> value && key == "ClusterName") return value;
    }
    return {};
}

/// States of jobs that have no process any more, or none yet.
const std::set<std::string> ended_states = {"PENDING",       "BOOT_FAIL",    "CANCELLED",  "COMPLETED",
                                            "DEADLINE",      "FAILED",       "NODE_FAIL",  "REVOKED",
                                            "OUT_OF_MEMORY", "REQUEUE_HOLD", "REQUEUED",   "TIMEOUT",
                                            "PREEMPTED",     "SPECIAL_EXIT", "REQUEUE_FED"};

OwnerState job_state(const LockOwner& owner) {
    const CommandResult queue =
        run_command("timeout 30 squeue --noheader --states=all --format=%T --jobs=" + owner.slurm_job);
    if (queue.status == 1 && queue.output.find("Invalid job id") != std::string::npos)
        return {Life::gone, "Slurm knows no such job any more"};
    if (queue.status != 0) return {Life::unknown, "squeue gives no answer"};
    std::istringstream words(queue.output);
    for (std::string state; words >> state;)
        if (!ended_states.contains(state)) return {Life::runs, "the state of its Slurm job is " + state};
    return {Life::gone, "its Slurm job has ended"};
}

OwnerState process_state(const LockOwner& owner) {
    const std::int64_t start = process_start(owner.process);
    if (start == 0) return {Life::gone, "no such process"};
    if (start > 0 && owner.start > 0 && start != owner.start)
        return {Life::gone, "its number belongs to a later process"};
    return {Life::runs, "the process is there"};
}

}  // namespace

std::string LockOwner::text() const {
    return fmt::format(
        "# psflip: the file of this name without .lock is being written. Remove this one only if that "
        "process is "
        "gone.\nprogram: {}\nhost: {}\nprocess: {}\nprocess_start: {}\nmachine: {}\nboot: {}\n"
        "pid_namespace: {}\nslurm_cluster: {}\nslurm_job: {}\nslurm_restarts: {}\nsince: {}\nend: lock\n",
        program, place.host, process, start, place.machine, place.boot, place.pid_namespace, slurm_cluster,
        slurm_job, slurm_restarts, since);
}

std::string LockOwner::description() const {
    return printable(fmt::format("{}, process {} on {}{} since {}", program, process, place.host,
                                 slurm_job.empty() ? "" : " (Slurm job " + slurm_job + ")", since));
}

std::optional<LockOwner> parse_lock(const std::string& text) {
    std::map<std::string, std::string> values;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (const auto colon = line.find(": "); colon != std::string::npos)
            values[line.substr(0, colon)] = line.substr(colon + 2);
    const auto process = number(values["process"]), start = number(values["process_start"]),
               restarts = number(values["slurm_restarts"]);
    if (values["end"] != "lock" || !process || !start || !restarts) return std::nullopt;
    LockOwner owner;
    owner.program = values["program"];
    owner.place = {values["host"], values["machine"], values["boot"], values["pid_namespace"]};
    owner.process = *process;
    owner.start = *start;
    owner.slurm_cluster = values["slurm_cluster"];
    owner.slurm_job = values["slurm_job"];
    owner.slurm_restarts = *restarts;
    owner.since = values["since"];
    return owner;
}

LockOwner this_owner(const std::string& program) {
    LockOwner owner;
    owner.program = program;
    owner.place = this_place();
    owner.process = getpid();
    owner.start = process_start(owner.process);
    owner.slurm_cluster = environment("SLURM_CLUSTER_NAME");
    owner.slurm_job = environment("SLURM_JOB_ID");
    owner.slurm_restarts = number(environment("SLURM_RESTART_COUNT")).value_or(0);
    owner.since = utc_now();
    return owner;
}

OwnerState owner_state(const LockOwner& owner, const LockOwner& here) {
    const ProcessPlace &there = owner.place, &place = here.place;
    const bool same_kernel = !there.boot.empty() && there.boot == place.boot;
    if (same_kernel && there.pid_namespace == place.pid_namespace) return process_state(owner);
    const bool named = there.host != "host" && !there.host.starts_with("localhost") && !there.machine.empty();
    if (!same_kernel && named && !there.boot.empty() && !place.boot.empty() && there.host == place.host &&
        there.machine == place.machine)
        return {Life::gone, "the machine was started again since"};
    const std::string& job = owner.slurm_job;
    const bool job_number = !job.empty() && std::all_of(job.begin(), job.end(),
                                                        [](unsigned char c) { return std::isdigit(c) != 0; });
    const std::string where = same_kernel ? "it runs in another container" : "it runs on another machine";
    if (!job_number || owner.slurm_cluster.empty() || cluster_name(here) != owner.slurm_cluster)
        return {Life::unknown, where};
    if (job != here.slurm_job) return job_state(owner);
    if (owner.slurm_restarts < here.slurm_restarts)
        return {Life::gone, "its Slurm job was started again since, and is this one"};
    return {Life::unknown, where + ", of the same Slurm job"};
}

}  // namespace psflip
