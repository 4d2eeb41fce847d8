#pragma once

#include <functional>
#include <string>

#include "io/file.hpp"

namespace psflip {

/// Before a file of `kind` is replaced: `loss` is asked what would be lost with the one that is there ("it
/// has L = 4, this call L = 6"; empty: nothing). InputError that names the path, the answer and --force. What
/// is not there, damaged, or of another kind or version is not asked about.
void check_older_file(const std::string& path, const std::string& kind,
                      const std::function<std::string(const InputFile&)>& loss);

/// The first line "key: value" in which what is there differs from what is to be written, for `loss`; empty
/// where they agree.
std::string other_lines(const std::string& there, const std::string& now);

}  // namespace psflip
