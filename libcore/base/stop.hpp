#pragma once

namespace psflip {

/// Installs handlers for SIGTERM, SIGINT and SIGUSR1 that only note the request, and starts the time limit
/// (seconds of wall time from this call; 0 or less: none). Called once by `main`.
void watch_for_stop(double time_limit_seconds);

/// Why the program should stop at the next safe point: "SIGTERM", "SIGINT", "SIGUSR1", "time limit", or
/// nullptr.
const char* stop_reason();

}  // namespace psflip
