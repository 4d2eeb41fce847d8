#pragma once

#include <string>

namespace psflip {

/// What stands at the name of an output, noted before the work: nothing that came later is replaced. A
/// WriterLock holds one; AtomicFile asks before it gives a file its name, whatever else writes the output.
class OutputGuard {
  public:
    /// Notes what is at `out` now. One guard per path and process.
    explicit OutputGuard(const std::string& out);
    ~OutputGuard();
    OutputGuard(const OutputGuard&) = delete;
    OutputGuard& operator=(const OutputGuard&) = delete;

    /// EnvironmentError where another file is at `out` than when the guard began, or than this process wrote
    /// there since. Files are told apart by inode, size and time of change; one that is gone is no loss. No
    /// guard: nothing.
    static void check(const std::string& out);
    /// This process has written `out`.
    static void note(const std::string& out);

  private:
    std::string out_;
};

}  // namespace psflip
