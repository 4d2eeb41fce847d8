#pragma once

// Reads small files that users name, and never hangs on pipes or devices.

#include <cstddef>
#include <optional>
#include <string>

namespace psflip {

/// Opens `path` for reading and returns a descriptor, which the caller must close. It never waits, because
/// pipes, devices and folders are refused. `what` names the expected contents in messages, for example "the
/// configuration". Errors: InputError if there is no such regular file; EnvironmentError if it cannot be read
/// (permission, too many open files, disk failure).
int open_regular_file(const std::string& path, const std::string& what);

/// Returns the contents of a regular file, or nothing if there is no file. Errors: as open_regular_file;
/// InputError if the file has more than `most` bytes.
std::optional<std::string> read_if_there(const std::string& path, const std::string& what, std::size_t most);

/// Returns the contents of a regular file. Errors: as open_regular_file; InputError if the file has more than
/// `most` bytes.
std::string read_regular_file(const std::string& path, const std::string& what, std::size_t most);

}  // namespace psflip
