#pragma once

#include <string>
#include <vector>

namespace psflip {

/// A file that a call names.
struct NamedFile {
    std::string option;  ///< what names it: "--out", or "the output"
    std::string path;
};

/// InputError, with both options and the path, where an output is an input or another output, or where either
/// has a name that this call uses for itself beside an output: its lock, its checkpoints, its temporaries; or
/// where an output has a name that another call may use so.
/// Files are compared by what they are: through links, and where a file is not there yet, by its path without
/// detours.
void check_file_names(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// Where a link leads, through further links, whether or not a file is there; any other path as it is.
/// InputError for links in a circle.
std::string link_target(std::string path);

}  // namespace psflip
