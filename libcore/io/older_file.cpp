#include "io/older_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "base/regular_file.hpp"
#include "config/physics_text.hpp"
#include "io/hdf5/disk_driver.hpp"
#include "io/hdf5/file_impl.hpp"
#include "io/hdf5/seal.hpp"
#include "io/hdf5/trial_read.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

std::string loss_of(const std::string& path, const std::string& kind,
                    const std::function<std::string(const InputFile&)>& loss) {
    if (access(path.c_str(), F_OK) != 0) return {};
    try {
        return loss(InputFile::even_unsealed(path, kind));
    } catch (const InputError&) {
        return {};
    }
}

/// An open file that closes itself.
struct Opened : Disk {
    explicit Opened(const std::string& path) {
        descriptor = open_regular_file(path, "the file that would be replaced");
    }
    ~Opened() { close(descriptor); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
};

}  // namespace

OlderFile older_file(const std::string& path) {
    try {
        auto label = InputFile::label(path);
        const bool own = label.has_value();
        return {own, std::move(label)};
    } catch (const InputError& error) {
        return {is_own_or_empty(path), {}, error.what()};
    }
}

bool is_own_or_empty(const std::string& path) {
    if (access(path.c_str(), F_OK) != 0) return true;
    Opened file(path);
    return file.size() == 0 || ends_in_seal(file) || trial_format(file, path) == schema::format_name;
}

void check_older_file(const std::string& path, const std::string& kind,
                      const std::function<std::string(const InputFile&)>& loss) {
    refuse_loss(path, kind + " file", loss_of(path, kind, loss));
}

void refuse_loss(const std::string& path, const std::string& what, const std::string& lost) {
    if (lost.empty()) return;
    throw InputError(
        fmt::format("{}: {} {} of that name is there and would be lost: {}; give the output another name, or "
                    "--force to replace it",
                    path, article(what), what, lost));
}

std::string other_lines(const std::string& there, const std::string& now) {
    const Difference difference = first_difference(there, now);
    if (!difference) return {};
    return fmt::format("it has {} = {}, this call {}", difference.key, difference.first, difference.second);
}

}  // namespace psflip
