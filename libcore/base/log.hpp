#pragma once

// Sets level and format of log messages.

#include <spdlog/spdlog.h>

#include <string>

namespace psflip {

/// Sends all messages to standard error with the given level: trace, debug, info, warn, error or off. Errors:
/// InputError for another level.
void start_log(const std::string& level);

}  // namespace psflip
