#include "io/older_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"
#include "config/physics_text.hpp"

namespace psflip {
namespace {

std::string loss_of(const std::string& path, const std::string& kind,
                    const std::function<std::string(const InputFile&)>& loss) {
    if (access(path.c_str(), F_OK) != 0) return {};
    try {
        return loss(InputFile(path, kind));
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace

void check_older_file(const std::string& path, const std::string& kind,
                      const std::function<std::string(const InputFile&)>& loss) {
    const std::string lost = loss_of(path, kind, loss);
    if (!lost.empty())
        throw InputError(fmt::format(
            "{}: a {} file of that name is there and would be lost: {}; give the output another name, or "
            "--force to replace it",
            path, kind, lost));
}

std::string other_lines(const std::string& there, const std::string& now) {
    const Difference difference = first_difference(there, now);
    if (!difference) return {};
    return fmt::format("it has {} = {}, this call {}", difference.key, difference.first, difference.second);
}

}  // namespace psflip
