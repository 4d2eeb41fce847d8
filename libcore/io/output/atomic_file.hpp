#pragma once

#include <string>

namespace psflip {

/// Writes a file under a temporary name in the folder of its final name, and renames it when it is complete.
/// The temporary name identifies the writer (io/output/temporary_name.hpp). The next lock of the output
/// removes temporaries of killed writers (io/output/writer_lock.hpp).
class AtomicFile {
  public:
    /// Creates an empty temporary. Errors: InputError if `path` is a folder or a device; EnvironmentError
    /// if the folder is missing or not writable, or if the file system refuses a new file.
    explicit AtomicFile(const std::string& path);
    /// Removes the temporary unless committed.
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    const std::string& path() const { return path_; }
    const std::string& temporary() const { return temporary_; }
    int descriptor() const { return descriptor_; }

    /// Appends text to the temporary. Errors: EnvironmentError.
    void write(const std::string& text);
    /// Flushes the temporary to disk. Errors: EnvironmentError; then the temporary is removed and an
    /// existing file stays.
    void flush();
    /// Flushes the temporary, renames it (replacing an existing file) and flushes the folder. Errors:
    /// EnvironmentError, also if an OutputGuard finds that another process wrote the file; then the
    /// temporary is removed and the existing file stays.
    void commit();
    /// Commits only if no file of the final name exists. Otherwise removes the temporary and returns
    /// false.
    bool commit_if_absent();
    /// Removes the temporary now.
    void discard() noexcept;

  private:
    std::string path_, folder_, temporary_;
    int descriptor_ = -1;
};

/// Writes a text file (CSV, JSON) through an AtomicFile. Errors: EnvironmentError.
void write_text_file(const std::string& path, const std::string& text);

/// Writes a text file, but never replaces one: returns false if the file exists. If several processes call it
/// at once, only one of them gets true. Readers never see a partial text, except on file systems without
/// links.
bool create_text_file(const std::string& path, const std::string& text);

/// Throws "cannot write PATH: No space left on device (...)" for the errno of a failed system call. A full
/// disk is a DiskFullError.
[[noreturn]] void throw_write_error(const std::string& path, int system_error);
[[noreturn]] void throw_write_error(const std::string& path, const std::string& reason);

}  // namespace psflip
