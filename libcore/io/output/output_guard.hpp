#pragma once

#include <string>

namespace psflip {

/// Remembers which file has the path of an output before the work starts. psflip does not replace a file that
/// another process writes to this path during the work. A WriterLock holds a guard, and AtomicFile checks the
/// guard before it renames a file.
class OutputGuard {
  public:
    /// Remembers the file that is at `out` now. There is one guard per path and process.
    explicit OutputGuard(const std::string& out);
    ~OutputGuard();
    OutputGuard(const OutputGuard&) = delete;
    OutputGuard& operator=(const OutputGuard&) = delete;

    /// Checks that the file at `out` is the file that the guard remembers, or one that this process wrote.
    /// Files are identified by inode, size and time of modification (mtime). If there is no file at `out`
    /// now, the check passes, because nothing can be replaced. Without a guard, nothing is checked. Errors:
    /// EnvironmentError if another process wrote the file.
    static void check(const std::string& out);
    /// Records that this process has written `out`.
    static void note(const std::string& out);

  private:
    std::string out_;
};

}  // namespace psflip
