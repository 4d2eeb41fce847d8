#include "io/output/lock_owner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <map>
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

/// Returns whether `word` is in a list that commas separate.
bool is_listed(const std::string& word, const std::string& list) {
    std::istringstream words(list);
    for (std::string listed; std::getline(words, listed, ',');)
        if (listed == word) return true;
    return false;
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
        "process is gone.\nprogram: {}\nhost: {}\nprocess: {}\nprocess_start: {}\nmachine: {}\nboot: {}\n"
        "pid_namespace: {}\nslurm_cluster: {}\nslurm_job: {}\nslurm_restarts: {}\nsince: {}\nend: lock\n",
        program, place.host, process, start, place.machine, place.boot, place.pid_namespace, slurm_cluster,
        slurm_job, slurm_restarts, since);
}

std::string LockOwner::slurm_start() const {
    return fmt::format("{}/{}/{}", slurm_cluster, slurm_job, slurm_restarts);
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
    const std::string where = same_kernel ? "it runs in another container" : "it runs on another machine";
    if (owner.slurm_job.empty() || owner.slurm_cluster.empty()) return {Life::unknown, where};
    if (is_listed(owner.slurm_start(), environment(ended_jobs_variable)))
        return {Life::gone, "its Slurm job has ended"};
    if (owner.slurm_job != here.slurm_job || owner.slurm_cluster != here.slurm_cluster)
        return {Life::unknown, where};
    if (owner.slurm_restarts < here.slurm_restarts)
        return {Life::gone, "its Slurm job was started again since, and is this one"};
    return {Life::unknown, where + ", of the same Slurm job"};
}

}  // namespace psflip
