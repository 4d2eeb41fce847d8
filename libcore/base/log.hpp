#pragma once

// Sets level and format of log messages.

#include <spdlog/spdlog.h>

#include <string>

#include "base/log_step.hpp"

namespace psflip {

/// Sends messages of at least the given level to standard error. The levels are trace, debug, info, warn and
/// error; off sends none. Errors: InputError for another level.
void start_log(const std::string& level);

}  // namespace psflip
