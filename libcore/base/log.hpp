#pragma once

// Sets level and format of log messages.

#include <spdlog/spdlog.h>

#include <string>

namespace psflip {

/// Sends all messages of at least the given level to standard error: trace, debug, info, warn, error or off.
/// Errors: InputError for another level.
void start_log(const std::string& level);

}  // namespace psflip
