#include "base/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace psflip {
namespace {

/// Of a path that names nothing readable; all other causes lie with the system.
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

/// Closes the descriptor at the end of a block.
struct Opened {
    int descriptor;
    ~Opened() { close(descriptor); }
};

}  // namespace

int open_regular_file(const std::string& path, const std::string& what) {
    // Without O_NONBLOCK this would wait for somebody to write into a pipe, and signals would be of no avail.
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) fail(path, what, errno);
    struct stat info {};
    const int error = fstat(descriptor, &info) == 0 ? 0 : errno;
    if (error == 0 && S_ISREG(info.st_mode)) return descriptor;
    close(descriptor);
    if (error != 0) fail(path, what, error);
    throw InputError(fmt::format("{}: cannot read {}: this is a {}; a regular file is needed", path, what,
                                 S_ISDIR(info.st_mode) ? "folder" : "pipe or a device"));
}

std::string read_regular_file(const std::string& path, const std::string& what, std::size_t most) {
    const Opened file{open_regular_file(path, what)};
    std::string text;
    std::array<char, 1 << 16> piece{};
    while (true) {
        const ssize_t got = read(file.descriptor, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(path, what, errno);
        if (got == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
        if (text.size() > most)
            throw InputError(fmt::format("{}: too large for {}: more than {} bytes", path, what, most));
    }
}

}  // namespace psflip
