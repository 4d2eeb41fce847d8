#pragma once

#include <string>

#include "common/options.hpp"

namespace psflip::tools {

/// The command line as one string that a shell would read back as the same words.
std::string quoted_command_line(int argc, char** argv);

/// Accepts numbers from `least` to `most`. In contrast to in_range, it refuses nan.
ValueCheck number_from(double least, double most);

/// Accepts whole numbers, `least` or above. Parsing refuses numbers beyond the type.
ValueCheck whole_number_from(long least);

/// Accepts what parse_kernel accepts.
ValueCheck kernel_text();

}  // namespace psflip::tools
