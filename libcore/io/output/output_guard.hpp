#pragma once

#include <string>

namespace psflip {

/// Remembers the file at the name of an output before the work starts, so that no later file is replaced. A
/// WriterLock holds a guard, and AtomicFile checks it before it renames a file.
class OutputGuard {
  public:
    /// Remembers the file that is at `out` now. There is one guard per path and process.
    explicit OutputGuard(const std::string& out);
    ~OutputGuard();
    OutputGuard(const OutputGuard&) = delete;
    OutputGuard& operator=(const OutputGuard&) = delete;

    /// Checks that the file at `out` is the file that the guard remembers, or one that this process wrote.
    /// Files are identified by inode, size and time of change. A missing file is no loss. Without a guard,
    /// nothing is checked. Errors: EnvironmentError if another process wrote the file.
    static void check(const std::string& out);
    /// Records that this process has written `out`.
    static void note(const std::string& out);

  private:
    std::string out_;
};

}  // namespace psflip
