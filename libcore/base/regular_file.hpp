#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace psflip {

/// Opens `path` for reading and returns a descriptor, which the caller closes. It never waits: pipes, devices
/// and folders are refused. `what` names the expected contents in messages ("the configuration"). Errors:
/// InputError if no such regular file exists; EnvironmentError if it cannot be read (permission, too many
/// open files, disk failure).
int open_regular_file(const std::string& path, const std::string& what);

/// Returns the contents of a regular file, or nothing if the file does not exist. Errors: as
/// open_regular_file; InputError for more than `most` bytes.
std::optional<std::string> read_if_there(const std::string& path, const std::string& what, std::size_t most);

/// Returns the contents of a regular file. Errors: as open_regular_file; InputError for more than `most`
/// bytes.
std::string read_regular_file(const std::string& path, const std::string& what, std::size_t most);

}  // namespace psflip
