#pragma once

// Decides which existing files an output may replace.

#include <string>

#include "io/output/file_names.hpp"

namespace psflip::tools {

/// Lists the kinds of texts that psflip's programs write.
namespace text_kind {
inline constexpr const char* results = "table of results";
inline constexpr const char* temperatures = "list of temperatures";
inline constexpr const char* audit = "result of an audit";
inline constexpr const char* timings = "list of timings";
inline constexpr const char* slab_timings = "list of timings of slabs";
inline constexpr const char* vector_timings = "list of timings of vector spins";
inline constexpr const char* large_lattices = "list of large lattices";
inline constexpr const char* generators = "list of generators";
inline constexpr const char* timings_table = "table of timings";
}  // namespace text_kind

/// Checks that this call may write `output`, a file of `kind` (one of io/schema.hpp or of text_kind).
/// - A file that psflip did not make is never replaced.
/// - A damaged HDF5 file, and a file of another kind or version, is replaced only with `force`.
/// - An empty file may be replaced. Texts are recognised by their beginning.
///
/// Errors: InputError if a file must not be replaced; EnvironmentError if it may not be read.
void check_existing_output(const NamedFile& output, const std::string& kind, bool force);

}  // namespace psflip::tools
