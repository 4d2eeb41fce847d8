#include "io/existing_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/regular_file.hpp"
#include "config/physics_text.hpp"
#include "io/hdf5/disk_driver.hpp"
#include "io/hdf5/file_impl.hpp"
#include "io/hdf5/seal.hpp"

namespace psflip {
namespace {

constexpr std::size_t longest_beginning = 4096;

/// Owns an open file.
struct Opened : Disk {
    explicit Opened(const std::string& path) {
        descriptor = open_regular_file(path, "the file that would be replaced");
    }
    ~Opened() { close(descriptor); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
};

bool is_missing(const std::string& path) {
    return access(path.c_str(), F_OK) != 0;
}

std::string beginning_of(const std::string& path) {
    if (is_missing(path)) return {};
    Opened file(path);
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), longest_beginning)),
                      '\0');
    file.read(0, bytes.data(), bytes.size());
    if (file.error != 0)
        throw EnvironmentError(fmt::format("{}: cannot be read: {}", path, std::strerror(file.error)));
    return bytes;
}

}  // namespace

ExistingFile existing_file(const std::string& path) {
    ExistingFile file{.beginning = beginning_of(path)};
    if (!file.beginning.starts_with("\x89HDF\r\n\x1a\n")) return file;
    try {
        file.label = InputFile::label(path);
    } catch (const InputError& error) {
        file.damage = error.what();
    }
    return file;
}

bool is_sealed(const std::string& path) {
    if (is_missing(path)) return false;
    Opened file(path);
    return ends_in_seal(file);
}

void check_existing_file(const std::string& path, const std::string& kind,
                         const std::function<std::string(const InputFile&)>& loss) {
    if (beginning_of(path).empty()) return;
    std::string lost;
    try {
        lost = loss(InputFile(path, kind));
    } catch (const InputError& error) {
        lost = fmt::format("it cannot be compared with the new file ({})", error.what());
    }
    refuse_loss(path, kind + " file", lost);
}

void check_existing_text(const std::string& path, const std::string& what, const std::string& first_line) {
    const std::string beginning = beginning_of(path), there = beginning.substr(0, beginning.find('\n'));
    if (beginning.empty() || there == first_line.substr(0, longest_beginning)) return;
    refuse_loss(path, what,
                fmt::format("it begins with '{}', but the new file with '{}'", there, first_line));
}

void refuse_loss(const std::string& path, const std::string& what, const std::string& lost) {
    if (lost.empty()) return;
    throw InputError(
        fmt::format("{}: {} {} of that name exists and would be lost: {}; give the output another name, or "
                    "--force to replace it",
                    path, article(what), what, lost));
}

std::string other_lines(const std::string& there, const std::string& now) {
    const Difference difference = first_difference(there, now);
    if (!difference) return {};
    return fmt::format("it has {} = {}, but this call has {}", difference.key, difference.first,
                       difference.second);
}

}  // namespace psflip
