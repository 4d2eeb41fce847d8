#pragma once

#include <string>

namespace psflip {

/// A file that is written under a temporary name in the folder of its final name,
/// which tells the writer (io/output/temporary_name.hpp), and renamed when complete. What a killed writer
/// left goes with the next lock of the output (io/output/writer_lock.hpp).
class AtomicFile {
  public:
    /// Creates the empty temporary. Throws InputError where `path` is a folder or a device, EnvironmentError
    /// where the folder is missing, not writable or full.
    explicit AtomicFile(const std::string& path);
    /// Removes the temporary unless committed.
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    const std::string& path() const { return path_; }
    const std::string& temporary() const { return temporary_; }
    int descriptor() const { return descriptor_; }

    /// Appends a text to the temporary. Throws EnvironmentError.
    void write(const std::string& text);
    /// Flushes the temporary to disk. Throws EnvironmentError; the temporary is then removed and the
    /// existing file stays.
    void flush();
    /// Flushes the temporary to disk, gives it its final name (replacing an existing file) and flushes the
    /// folder. Throws EnvironmentError, also where an OutputGuard finds that somebody else wrote the final
    /// name; the temporary is then removed and the existing file stays.
    void commit();
    /// As commit, but only where no file of the final name is there; otherwise false, and the temporary is
    /// removed.
    bool commit_new();
    /// Removes the temporary now.
    void discard() noexcept;

  private:
    std::string path_, folder_, temporary_;
    int descriptor_ = -1;
};

/// Writes a whole text file (CSV, JSON) through an AtomicFile. Throws EnvironmentError.
void write_text_file(const std::string& path, const std::string& text);

/// Writes a whole text file, but never replaces one: false where one of that name is there. Of several
/// processes only one gets true. Readers never see a part of the text, except on file systems without links.
bool create_text_file(const std::string& path, const std::string& text);

/// "cannot write PATH: No space left on device (...)" for the errno of a failed system call;
/// DiskFullError where that is the cause.
[[noreturn]] void throw_write_error(const std::string& path, int system_error);
[[noreturn]] void throw_write_error(const std::string& path, const std::string& reason);

}  // namespace psflip
