#pragma once

#include <functional>
#include <string>
#include <vector>

namespace psflip::fuzz {

/// A kind of file that programs read, and what they do with it. Both calls take the path of a file and
/// return a text that is equal for equal results; errors of the library pass.
struct FileKind {
    std::string name;  ///< "run", "lock"; FOLDER/NAME is a good one
    /// The name in FOLDER under which a damaged copy is read.
    std::string damaged;
    std::function<std::string(const std::string&)> read;
    /// The work that follows in the program; none where reading is all.
    std::function<std::string(const std::string&)> use;
};

/// Makes one small good file of every kind in `folder`. Leaves a time limit behind (base/stop.hpp): for a
/// process that ends afterwards.
void make_good_files(const std::string& folder);

/// What is done with them. Outputs are FOLDER/case.h5 and FOLDER/case.csv.
std::vector<FileKind> file_kinds(const std::string& folder);

}  // namespace psflip::fuzz
