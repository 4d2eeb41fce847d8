#include "base/process.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace psflip {
namespace {

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// Returns whether /proc shows the namespace of this process. A container may see the /proc of the machine.
bool proc_is_ours() {
    char name[32] = {};
    return readlink("/proc/self", name, sizeof name - 1) > 0 && std::to_string(getpid()) == name;
}

}  // namespace

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "host";
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

ProcessPlace this_place() {
    char name[256] = {};
    if (readlink("/proc/self/ns/pid", name, sizeof name - 1) < 0) name[0] = '\0';
    return {host_name(), first_line("/etc/machine-id"), first_line("/proc/sys/kernel/random/boot_id"), name};
}

namespace {

bool exists(std::int64_t process) {
    return process > 0 && (kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM);
}

}  // namespace

std::int64_t process_start(std::int64_t process) {
    if (!exists(process)) return 0;
    if (!proc_is_ours()) return -1;
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::ostringstream stat;
    stat << file.rdbuf();  // does not throw if the process ends now
    const std::string text = stat.str();
    const std::size_t name_end = text.rfind(')');  // the name in brackets may contain any character
    if (name_end == std::string::npos) return exists(process) ? -1 : 0;
    std::istringstream fields(text.substr(name_end + 1));
    std::string state, skipped;
    fields >> state;
    if (state == "Z" || state == "X") return 0;
    constexpr int state_field = 3, start_field = 22;
    for (int field = state_field + 1; field < start_field; ++field) fields >> skipped;
    std::int64_t start = -1;
    return fields >> start ? start : -1;
}

}  // namespace psflip
