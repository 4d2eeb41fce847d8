#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/file.hpp"

namespace psflip {

/// What stands at the name of an output.
struct ExistingFile {
    std::string beginning{};           ///< its first bytes; empty if the file is empty or missing
    std::optional<FileLabel> label{};  ///< of an HDF5 file that psflip made
    std::string damage{};              ///< why an HDF5 file cannot be read
};

/// InputError if `path` is no regular file; EnvironmentError if the file may not be read.
ExistingFile existing_file(const std::string& path);

/// Whether the file ends with psflip's seal. It need not be readable. Errors as existing_file.
bool is_sealed(const std::string& path);

/// Before a file of `kind` is replaced: `loss` says what would be lost with the file at `path` ("it has L =
/// 4, this call L = 6"; empty: nothing). InputError that names the path, the loss and --force. A file that
/// cannot be read as one of `kind` is a loss; an empty or missing one is not.
void check_existing_file(const std::string& path, const std::string& kind,
                         const std::function<std::string(const InputFile&)>& loss);

/// The same for a text, which may be replaced if it has this first line. `what`: "table of results".
void check_existing_text(const std::string& path, const std::string& what, const std::string& first_line);

/// InputError that names the path, what is there ("table of results") and --force, unless `lost` is empty.
void refuse_loss(const std::string& path, const std::string& what, const std::string& lost);

/// The first line "key: value" in which a file differs from what will be written, for `loss`; empty if they
/// agree.
std::string other_lines(const std::string& there, const std::string& now);

}  // namespace psflip
