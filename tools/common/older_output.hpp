#pragma once

#include <string>

#include "common/own_text.hpp"
#include "io/output/file_names.hpp"

namespace psflip::tools {

/// InputError where `output`, which this call will write as a file of `kind` (one of io/schema.hpp or of
/// text_kind), is there already and may not be
/// replaced: a file that is not psflip's never is; one of another kind or version of psflip's, which is told
/// by its contents, only with `force`. An empty file may be replaced, and a damaged one of psflip's, with a
/// warning. EnvironmentError where the file may not be read.
void check_older_output(const NamedFile& output, const std::string& kind, bool force);

}  // namespace psflip::tools
