#include "common/older_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/regular_file.hpp"
#include "base/version.hpp"
#include "io/older_file.hpp"
#include "io/schema.hpp"

namespace psflip::tools {
namespace {

constexpr std::string_view hdf5_head = "\x89HDF\r\n\x1a\n";

/// All of it, or the beginning where it is too large for a text of psflip's; nothing where there is no file.
std::optional<std::string> text_of(const std::string& path) {
    if (access(path.c_str(), F_OK) != 0) return std::nullopt;
    close(open_regular_file(path, "the file that would be replaced"));
    constexpr std::streamoff most = std::streamoff{1} << 26;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    const std::streamoff wanted = size > most ? static_cast<std::streamoff>(hdf5_head.size()) : size;
    std::string text(static_cast<std::size_t>(std::max<std::streamoff>(wanted, 0)), '\0');
    file.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
}

[[noreturn]] void refuse_foreign(const NamedFile& output) {
    throw InputError(
        fmt::format("{} {}: a file of that name is there which psflip did not make; it is never "
                    "replaced: remove it first, or give another name",
                    output.option, output.path));
}

void require_force(const NamedFile& output, bool force, const std::string& found, const std::string& wanted) {
    if (!force)
        throw InputError(
            fmt::format("{} {}: a file of that name is there, {}, but this call writes {}; give "
                        "another name, or --force to replace it",
                        output.option, output.path, found, wanted));
}

/// Nothing where it is damaged; refuses what is not psflip's.
std::optional<FileLabel> label_of(const NamedFile& output) {
    OlderFile older = older_file(output.path);
    if (!older.own) refuse_foreign(output);
    if (!older.label) spdlog::warn("{}; it will be replaced", printable(older.damage));
    return std::move(older.label);
}

void check_versions(const NamedFile& output, const FileLabel& found, bool force) {
    const auto check = [&](const char* name, std::int64_t older, std::int64_t now) {
        if (older != now)
            require_force(output, force, fmt::format("with {} {}", name, older), std::to_string(now));
    };
    check(schema::format_version, found.format_version, format_version);
    check(schema::physics_version, found.physics_version.value_or(physics_version), physics_version);
}

}  // namespace

void check_older_output(const NamedFile& output, const std::string& kind, bool force) {
    const auto bytes = text_of(output.path);
    if (!bytes || bytes->empty()) return;
    if (bytes->starts_with(hdf5_head)) {
        const auto label = label_of(output);
        if (!label) return;
        if (label->kind != kind)
            require_force(output, force, "of the kind " + label->kind, "the kind " + kind);
        else
            check_versions(output, *label, force);
        return;
    }
    const auto found = text_kind_of(*bytes);
    if (!found) refuse_foreign(output);
    if (*found != kind) require_force(output, force, fmt::format("a {}", *found), "the kind " + kind);
}

}  // namespace psflip::tools
