#include "base/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace psflip {
namespace {

/// Returns whether the error means that the path names nothing readable. All other errors are faults of the
/// system.
bool is_wrong_path(int system_error) {
    constexpr std::array wrong = {ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EINVAL, ENXIO, ENODEV};
    return std::find(wrong.begin(), wrong.end(), system_error) != wrong.end();
}

[[noreturn]] void fail(const std::string& path, const std::string& what, int system_error) {
    const std::string message =
        fmt::format("{}: cannot read {}: {}", path, what, std::strerror(system_error));
    if (is_wrong_path(system_error)) throw InputError(message);
    throw EnvironmentError(message);
}

/// Owns a descriptor.
class Opened {
  public:
    explicit Opened(const std::string& path)
        // Without O_NONBLOCK, open() waits for a writer of a pipe, and no signal ends the wait.
        : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)),
          error_(descriptor_ < 0 ? errno : 0) {}
    ~Opened() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    bool is_missing() const { return error_ == ENOENT || error_ == ENOTDIR || error_ == ESTALE; }
    int get() const { return descriptor_; }
    int release() { return std::exchange(descriptor_, -1); }

    void require_regular(const std::string& path, const std::string& what) const {
        if (error_ != 0) fail(path, what, error_);
        struct stat info {};
        if (fstat(descriptor_, &info) != 0) fail(path, what, errno);
        if (S_ISREG(info.st_mode)) return;
        throw InputError(fmt::format("{}: cannot read {}, because this is a {} and not a regular file", path,
                                     what, S_ISDIR(info.st_mode) ? "folder" : "pipe or a device"));
    }

  private:
    int descriptor_, error_;
};

std::string read_all(const Opened& file, const std::string& path, const std::string& what, std::size_t most) {
    file.require_regular(path, what);
    std::string text;
    std::array<char, 1 << 16> piece{};
    while (true) {
        const ssize_t got = read(file.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(path, what, errno);
        if (got == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
        if (text.size() > most)
            throw InputError(
                fmt::format("{}: the file is too large for {}; at most {} bytes are read", path, what, most));
    }
}

}  // namespace

int open_regular_file(const std::string& path, const std::string& what) {
    Opened file(path);
    file.require_regular(path, what);
    return file.release();
}

std::optional<std::string> read_if_there(const std::string& path, const std::string& what, std::size_t most) {
    const Opened file(path);
    if (file.is_missing()) return std::nullopt;
    return read_all(file, path, what, most);
}

std::string read_regular_file(const std::string& path, const std::string& what, std::size_t most) {
    return read_all(Opened(path), path, what, most);
}

}  // namespace psflip
