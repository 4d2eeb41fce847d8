#pragma once

// Receives requests to stop early: signals and the time limit. Programs then stop at the next safe point,
// most of them with a checkpoint.

namespace psflip {

/// Installs handlers for SIGTERM, SIGINT and SIGUSR1, which only record the request, and unblocks these
/// signals in the calling thread. Also starts the clock of the time limit in seconds; 0 or less is no limit.
/// `main` calls this function once.
void watch_for_stop(double time_limit_seconds);

/// Returns the reason to stop at the next safe point: "SIGTERM", "SIGINT", "SIGUSR1", "time limit", or
/// nullptr for none.
const char* stop_reason();

}  // namespace psflip
