#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/file.hpp"

namespace psflip {

/// A file that stands where one will be written.
struct OlderFile {
    bool own = false;  ///< psflip made it: the root attribute format says so, or a seal; or it is empty
    std::optional<FileLabel> label{};  ///< nothing where it cannot be read
    std::string damage{};              ///< why it cannot be read
};

/// InputError where `path` is no regular file; EnvironmentError where it may not be read.
OlderFile older_file(const std::string& path);

/// Whether psflip made the file, by its end or its root attribute format alone; a file without content counts
/// as such, and so does none. Errors as older_file.
bool is_own_or_empty(const std::string& path);

/// Before a file of `kind` is replaced: `loss` is asked what would be lost with the one that is there ("it
/// has L = 4, this call L = 6"; empty: nothing). InputError that names the path, the answer and --force. What
/// is not there, damaged, or of another kind or version is not asked about.
void check_older_file(const std::string& path, const std::string& kind,
                      const std::function<std::string(const InputFile&)>& loss);

/// InputError that names the path, what is there ("table of results") and --force, unless `lost` is empty.
void refuse_loss(const std::string& path, const std::string& what, const std::string& lost);

/// The first line "key: value" in which what is there differs from what is to be written, for `loss`; empty
/// where they agree.
std::string other_lines(const std::string& there, const std::string& now);

}  // namespace psflip
