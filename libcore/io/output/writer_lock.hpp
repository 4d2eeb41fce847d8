#pragma once

#include <string>

#include "io/output/output_guard.hpp"

namespace psflip {

/// The right of one process to write `out` and its checkpoints: the text file `<out>.lock` beside it, made in
/// one step and removed at the end. What stands at `out` from then on is replaced only by this process, or
/// not at all (io/output/output_guard.hpp). It needs no locks of the file system, only that a name is given
/// once (link, or O_EXCL where there are no links).
class WriterLock {
  public:
    /// EnvironmentError that names the holder and the remedy where another process holds the lock, or where
    /// that cannot be found out (see owner_state). A holder that is gone is replaced, with a warning. Once
    /// the lock is held, temporaries of `out`, its checkpoints and its lock are removed whose writer is gone
    /// (io/output/temporary_name.hpp). EnvironmentError, too, where the lock cannot be written, or is a pipe
    /// or a link.
    WriterLock(const std::string& out, const std::string& program);
    /// Removes the lock if it is still this process's.
    ~WriterLock();
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;

    const std::string& path() const { return path_; }

    /// EnvironmentError where the lock was removed or replaced: someone held this process for dead, and
    /// nothing may be written any more.
    void check() const;
    /// EnvironmentError where somebody else wrote the output since the lock was taken, as OutputGuard::check.
    void check_output() const { OutputGuard::check(out_); }

  private:
    std::string out_, path_, text_;
    OutputGuard guard_;
};

}  // namespace psflip
