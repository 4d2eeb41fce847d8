#pragma once

#include <functional>
#include <string>
#include <vector>

namespace psflip::fuzz {

/// Describes a kind of file that programs read. `read` and `use` take the path of a file and return a text
/// that is equal for equal results; errors of the library pass.
struct FileKind {
    std::string name;  ///< such as "run" or "lock"; FOLDER/NAME is a file without damage
    /// Name in FOLDER of the damaged copy that is read.
    std::string damaged;
    std::function<std::string(const std::string&)> read;
    /// Does the work that programs do after reading; empty if there is none.
    std::function<std::string(const std::string&)> use;
};

/// Makes one small file without damage of every kind in `folder`. Leaves a time limit set (base/stop.hpp), so
/// the calling process should end soon.
void make_good_files(const std::string& folder);

/// Returns all kinds of files. Outputs of `use` are FOLDER/case.h5 and FOLDER/case.csv.
std::vector<FileKind> file_kinds(const std::string& folder);

}  // namespace psflip::fuzz
