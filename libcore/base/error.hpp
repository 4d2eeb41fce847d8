#pragma once

// Defines the exceptions of psflip and the exit codes of its programs.

#include <stdexcept>
#include <string>

#include "base/printable.hpp"

namespace psflip {

/// Lists the exit codes of all programs.
enum class ExitCode { done = 0, input = 1, environment = 2, stopped = 75 };

/// Is the base class of psflip's exceptions. `main` prints the message and ends with the exit code
/// (tools/common). The constructor makes the message one printable line, so callers may quote text from files
/// unchanged.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(printable(message)), code_(code) {}
    ExitCode code() const { return code_; }
    /// Returns whether all ranks throw this error. One rank then reports it for all ranks
    /// (slab/agreement.hpp).
    bool of_all_ranks() const { return of_all_ranks_; }
    void set_of_all_ranks() { of_all_ranks_ = true; }

  private:
    ExitCode code_;
    bool of_all_ranks_ = false;
};

/// Reports wrong usage, configuration or input, with exit code 1. The message names file, line or key, and
/// the remedy.
struct InputError : Error {
    explicit InputError(const std::string& message) : Error(ExitCode::input, message) {}
};

/// Reports that a device, memory, disk space or a permission is missing, with exit code 2.
struct EnvironmentError : Error {
    explicit EnvironmentError(const std::string& message) : Error(ExitCode::environment, message) {}
};

/// Reports a full disk or quota. The call may succeed after files are deleted.
struct DiskFullError : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};

/// Reports a requested stop after a checkpoint was saved, with exit code 75.
struct Stopped : Error {
    explicit Stopped(const std::string& message) : Error(ExitCode::stopped, message) {}
};

}  // namespace psflip
