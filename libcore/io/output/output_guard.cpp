#include "io/output/output_guard.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <optional>

#include "base/error.hpp"

namespace psflip {
namespace {

struct Stamp {
    ino_t inode;
    off_t size;
    time_t seconds;
    long nanoseconds;
    bool operator==(const Stamp&) const = default;
};

/// Returns the identity of the file, or nothing if there is no file. Links are not followed.
std::optional<Stamp> stamp_of(const std::string& path) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return std::nullopt;
    return Stamp{info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

/// Guards by path.
std::map<std::string, std::optional<Stamp>>& guarded() {
    static std::map<std::string, std::optional<Stamp>> stamps;
    return stamps;
}

}  // namespace

OutputGuard::OutputGuard(const std::string& out) : out_(out) {
    guarded()[out] = stamp_of(out);
}

OutputGuard::~OutputGuard() {
    guarded().erase(out_);
}

void OutputGuard::check(const std::string& out) {
    const auto found = guarded().find(out);
    if (found == guarded().end()) return;
    const auto now = stamp_of(out);
    if (!now || now == found->second) return;
    throw EnvironmentError(
        fmt::format("cannot write {}: another process wrote a file of that name during this call, and it "
                    "stays; move it away and run the same command again",
                    out));
}

void OutputGuard::note(const std::string& out) {
    if (const auto found = guarded().find(out); found != guarded().end()) found->second = stamp_of(out);
}

}  // namespace psflip
