#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace psflip {

/// Opens `path` for reading and returns the descriptor, which the caller closes. Never waits: a pipe without
/// a writer or a device is refused, as is a folder. `what` says in messages what the file should be ("the
/// configuration"). InputError where there is no such regular file; EnvironmentError where the system does
/// not let it be read (permission, too many open files, failure of the disk).
int open_regular_file(const std::string& path, const std::string& what);

/// The bytes of a regular file; nothing where there is no file of that name. Other errors as
/// open_regular_file; InputError for more than `most` bytes.
std::optional<std::string> read_if_there(const std::string& path, const std::string& what, std::size_t most);

/// The bytes of a regular file. Errors as open_regular_file; InputError for more than `most` bytes.
std::string read_regular_file(const std::string& path, const std::string& what, std::size_t most);

}  // namespace psflip
