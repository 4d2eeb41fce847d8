// Decides whether an output may replace the file that already has its name.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/file.hpp"

namespace psflip {

/// Describes a file that already has the name of an output.
struct ExistingFile {
    std::string beginning{};           ///< up to 4096 bytes; empty if the file is empty or missing
    std::optional<FileLabel> label{};  ///< label of an HDF5 file from psflip
    std::string damage{};              ///< why an HDF5 file cannot be read
};

/// Examines the file at `path`. Errors: InputError if it is not a regular file; EnvironmentError if this
/// process has no permission to read it.
ExistingFile existing_file(const std::string& path);

/// Returns whether the file ends with a seal, readable or not. Errors: as existing_file.
bool is_sealed(const std::string& path);

/// Checks that a file of `kind` may be replaced. `loss` describes what would be lost with the file at `path`
/// ("it has L = 4, this call L = 6"), or returns an empty string. An unreadable file is a loss; an empty or
/// missing file is not. Errors: InputError with path, loss and --force.
void check_existing_file(const std::string& path, const std::string& kind,
                         const std::function<std::string(const InputFile&)>& loss);

/// Checks that a text file may be replaced. A file may be replaced if it is empty or begins with
/// `first_line`. `what` names the contents, such as "table of results". Errors: as check_existing_file.
void check_existing_text(const std::string& path, const std::string& what, const std::string& first_line);

/// Checks that `lost` is empty. Errors: InputError with path, contents (`what`, such as "table of results")
/// and --force if `lost` is not empty.
void refuse_loss(const std::string& path, const std::string& what, const std::string& lost);

/// Compares texts of "key: value" lines of an existing file (`there`) and of the new file (`now`). Returns
/// the first difference as "it has KEY = A, but this call has B", or an empty string.
std::string other_lines(const std::string& there, const std::string& now);

}  // namespace psflip
