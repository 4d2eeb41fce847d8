#pragma once

// Identifies this machine, this process and other processes.

#include <cstdint>
#include <string>

namespace psflip {

/// Returns the name of this machine, or "host" if it has none.
std::string host_name();

/// Returns the value of an environment variable, or an empty string if it is not set.
std::string environment(const char* name);

/// Names the namespace in which a process number is unique. A member is empty if the system does not provide
/// it.
struct ProcessPlace {
    std::string host;           ///< host_name()
    std::string machine;        ///< /etc/machine-id
    std::string boot;           ///< id of the present boot of the machine
    std::string pid_namespace;  ///< differs between containers
    bool operator==(const ProcessPlace&) const = default;
};
/// Returns the namespace of this process.
ProcessPlace this_place();

/// Returns the start time of a process of this namespace, in clock ticks since the start of the machine.
/// Number and start time together identify a process. Returns 0 if there is no such process or only a zombie.
/// Returns -1 if this process has no permission to see it.
std::int64_t process_start(std::int64_t process);

}  // namespace psflip
