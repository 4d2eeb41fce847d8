#pragma once

#include <string>

#include "io/file_names.hpp"

namespace psflip::tools {

/// What an output is: one of the kinds of HDF5 files (io/schema.hpp) or of the texts below.
namespace text_kind {
inline constexpr const char* results = "table of results";
inline constexpr const char* temperatures = "list of temperatures";
inline constexpr const char* audit = "result of an audit";
inline constexpr const char* timings = "list of timings";
inline constexpr const char* timings_table = "table of timings";
}  // namespace text_kind

/// InputError where `output`, which this call will write as a file of `kind`, is there already and may not be
/// replaced: a file that is not psflip's never is; one of another kind or version of psflip's, which is told
/// by its contents, only with `force`. An empty file may be replaced, and a damaged one of psflip's, with a
/// warning. EnvironmentError where the file may not be read.
void check_older_output(const NamedFile& output, const std::string& kind, bool force);

}  // namespace psflip::tools
