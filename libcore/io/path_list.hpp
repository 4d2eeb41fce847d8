#pragma once

#include <string>
#include <vector>

namespace psflip {

/// The paths in a text file, one per line, or ended by NUL as by find -print0; empty lines are left out;
/// those that are not absolute start in the working directory, as on the command line. Errors as
/// read_regular_file; InputError where the list is empty and, with the number of the line, where there is no
/// file of such a path.
std::vector<std::string> read_path_list(const std::string& list);

}  // namespace psflip
