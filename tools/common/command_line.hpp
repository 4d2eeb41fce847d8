#pragma once

#include <string>

namespace psflip::tools {

/// The command line as one string that a shell would read back as the same words.
std::string quoted_command_line(int argc, char** argv);

}  // namespace psflip::tools
