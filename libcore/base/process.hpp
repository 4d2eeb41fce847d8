#pragma once

#include <cstdint>
#include <string>

namespace psflip {

/// Name of this machine; "host" where it has none.
std::string host_name();

/// Value of an environment variable; empty where it is not set.
std::string environment(const char* name);

/// Where a process number means something, and which process it is. Texts are empty where the system does not
/// tell.
struct ProcessPlace {
    std::string host;           ///< host_name()
    std::string machine;        ///< /etc/machine-id
    std::string boot;           ///< of the running kernel, another one after every start of the machine
    std::string pid_namespace;  ///< containers have their own
    bool operator==(const ProcessPlace&) const = default;
};
ProcessPlace this_place();

/// When a process of this namespace began, in clock ticks since the start of the machine: with the number it
/// tells a process from a later one of the same number. 0 where there is no such process (or only what the
/// system keeps of a dead one), -1 where it runs but may not be looked at.
std::int64_t process_start(std::int64_t process);

}  // namespace psflip
