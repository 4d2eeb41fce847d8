#pragma once

#include <string>
#include <vector>

namespace psflip {

/// Reads paths from a text file: one per line, or ended by NUL as `find -print0` writes them. Empty lines are
/// ignored. Relative paths start in the working directory. Errors: as read_regular_file; InputError for an
/// empty list or, with the line number, for a missing file.
std::vector<std::string> read_path_list(const std::string& list);

}  // namespace psflip
