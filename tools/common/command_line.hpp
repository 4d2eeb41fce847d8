#pragma once

#include <string>

namespace psflip::tools {

/// The command line as one string that a shell would read back as the same words.
std::string quoted_command_line(int argc, char** argv);

/// Now, UTC, as ISO 8601: "2026-11-21T09:30:00Z".
std::string utc_now();

}  // namespace psflip::tools
