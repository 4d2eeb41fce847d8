#pragma once

#include <string>
#include <vector>

namespace psflip {

/// Names a file of a call.
struct NamedFile {
    std::string option;  ///< the option of the file: "--out", or "the output"
    std::string path;
};

/// Checks the names of the files of a call. Errors: InputError with both options and the path in these cases:
/// an output is an input or another output; a file has a name that this call uses for a lock, checkpoint or
/// temporary of an output; another call could use the name of an output for such a file. Files are compared
/// after following links. Missing files are compared by their absolute, normalized paths.
void check_file_names(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// Returns the target of a link, also of a chain of links and of a missing file. Returns other paths
/// unchanged. Errors: InputError for a circle of links.
std::string link_target(std::string path);

}  // namespace psflip
