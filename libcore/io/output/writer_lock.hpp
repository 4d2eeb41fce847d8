#pragma once

#include <string>

#include "io/output/output_guard.hpp"

namespace psflip {

/// Holds the exclusive right of one process to write `out` and its checkpoints: the text file `<out>.lock`.
/// Only this process may replace the file at `out` (io/output/output_guard.hpp). The lock needs no locks of
/// the file system, only atomic creation of a name (link, or O_EXCL on file systems without links).
class WriterLock {
  public:
    /// Takes the lock. If the holder of an existing lock is gone, replaces the lock and logs a warning.
    /// Removes the temporaries of `out`, its checkpoints and its lock if their writers are gone. Errors:
    /// EnvironmentError, with the holder and the remedy, if another process holds the lock or may hold it
    /// (owner_state). EnvironmentError also if the lock cannot be written, or is a pipe or a link.
    WriterLock(const std::string& out, const std::string& program);
    /// Removes the lock if this process still holds it.
    ~WriterLock();
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;

    const std::string& path() const { return path_; }

    /// Checks that the lock was not removed or replaced. Errors: EnvironmentError, because another process
    /// may now write the output.
    void check() const;
    /// Checks that no other process wrote the output since the lock was taken. Errors: EnvironmentError.
    void check_output() const { OutputGuard::check(out_); }

  private:
    std::string out_, path_, text_;
    OutputGuard guard_;
};

}  // namespace psflip
