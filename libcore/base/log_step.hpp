#pragma once

// Logs how long the steps of a program take. CUDA files can include this header, unlike log.hpp.

#include <string_view>

namespace psflip {

/// Logs, at the level debug, the seconds that a step of the program took: from the end of the previous step,
/// or from the start of the process, to now. The second and third number are CPU seconds of all threads and
/// of this thread, which makes all calls.
void log_step(std::string_view step);

}  // namespace psflip
