#pragma once

#include <stdexcept>
#include <string>

#include "base/printable.hpp"

namespace psflip {

/// Exit codes of all programs.
enum class ExitCode { done = 0, input = 1, environment = 2, stopped = 75 };

/// Base class of all errors that psflip throws. Only `main` catches them (tools/common). The message becomes
/// one printable line, so it may quote files and names unchanged.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(printable(message)), code_(code) {}
    ExitCode code() const { return code_; }
    /// Returns whether all ranks end with this error, so that one rank reports it for all
    /// (slab/agreement.hpp).
    bool of_all_ranks() const { return of_all_ranks_; }
    void set_of_all_ranks() { of_all_ranks_ = true; }

  private:
    ExitCode code_;
    bool of_all_ranks_ = false;
};

/// Reports wrong usage, a wrong configuration or a wrong input file. The message names file, line or key, and
/// the remedy. Exit code 1.
struct InputError : Error {
    explicit InputError(const std::string& message) : Error(ExitCode::input, message) {}
};

/// Reports a missing device, memory, disk space or permission. Exit code 2.
struct EnvironmentError : Error {
    explicit EnvironmentError(const std::string& message) : Error(ExitCode::environment, message) {}
};

/// Reports that the disk or the quota is full. The call may succeed after files are deleted.
struct DiskFullError : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};

/// Reports a requested stop, after a checkpoint was saved. Exit code 75.
struct Stopped : Error {
    explicit Stopped(const std::string& message) : Error(ExitCode::stopped, message) {}
};

}  // namespace psflip
