#pragma once

#include <stdexcept>
#include <string>

#include "base/printable.hpp"

namespace psflip {

/// Exit codes of all programs.
enum class ExitCode { done = 0, input = 1, environment = 2, stopped = 75 };

/// Base of all errors that psflip throws on purpose. Only `main` catches them (see tools/common). The message
/// is one line and made printable: it may quote files and names as they are.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(printable(message)), code_(code) {}
    ExitCode code() const { return code_; }
    /// Whether all ranks that work together end with it, so that one of them tells it for all
    /// (slab/agreement.hpp).
    bool of_all_ranks() const { return of_all_ranks_; }
    void set_of_all_ranks() { of_all_ranks_ = true; }

  private:
    ExitCode code_;
    bool of_all_ranks_ = false;
};

/// Usage, configuration or input file is wrong; the message names file, line or key, and the remedy. Exit
/// code 1.
struct InputError : Error {
    explicit InputError(const std::string& message) : Error(ExitCode::input, message) {}
};

/// No device, no memory, no disk space, no permission. Exit code 2.
struct EnvironmentError : Error {
    explicit EnvironmentError(const std::string& message) : Error(ExitCode::environment, message) {}
};

/// No space left on the disk or in the quota: what may pass when something is deleted.
struct DiskFullError : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};

/// Stopped early on request with a checkpoint saved. Exit code 75.
struct Stopped : Error {
    explicit Stopped(const std::string& message) : Error(ExitCode::stopped, message) {}
};

}  // namespace psflip
