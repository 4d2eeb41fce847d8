#include "common/older_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/regular_file.hpp"
#include "base/version.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"

namespace psflip::tools {
namespace {

constexpr std::string_view hdf5_head = "\x89HDF\r\n\x1a\n";

/// How psflip's texts begin.
constexpr std::array<std::pair<const char*, std::string_view>, 5> text_heads = {
    {{text_kind::results, "L,T,beta,n_realizations,"},
     {text_kind::temperatures, "# Temperatures for L = "},
     {text_kind::audit, "{\"format\": \"psflip audit\","},
     {text_kind::timings, "[\n  {\"series\": "},
     {text_kind::timings_table, "series,backend,L,share,"}}};

/// Up to 1 MiB of the beginning, and the last bytes, where the seal stands; nothing where there is no file.
std::optional<std::string> ends_of(const std::string& path) {
    if (access(path.c_str(), F_OK) != 0) return std::nullopt;
    close(open_regular_file(path, "the file that would be replaced"));
    constexpr std::streamoff most = 1 << 20, tail = 64;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    std::string text(static_cast<std::size_t>(std::clamp<std::streamoff>(size, 0, most)), '\0');
    file.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));
    if (size <= most) return text;
    std::string end(tail, '\0');
    file.seekg(size - tail).read(end.data(), tail);
    return text + end;
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
std::optional<FileLabel> label_of(const NamedFile& output, const std::string& bytes) {
    std::optional<FileLabel> label;
    try {
        label = InputFile::label(output.path);
    } catch (const InputError& error) {
        if (bytes.find(schema::format_name) == std::string::npos) refuse_foreign(output);
        spdlog::warn("{}; it will be replaced", printable(error.what()));
        return std::nullopt;
    }
    if (!label) refuse_foreign(output);
    return label;
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
    const auto bytes = ends_of(output.path);
    if (!bytes || bytes->empty()) return;
    if (bytes->starts_with(hdf5_head)) {
        const auto label = label_of(output, *bytes);
        if (!label) return;
        if (label->kind != kind)
            require_force(output, force, "of the kind " + label->kind, "the kind " + kind);
        else
            check_versions(output, *label, force);
        return;
    }
    const auto own = std::find_if(text_heads.begin(), text_heads.end(),
                                  [&](const auto& head) { return bytes->starts_with(head.second); });
    if (own == text_heads.end()) refuse_foreign(output);
    if (own->first != kind) require_force(output, force, fmt::format("a {}", own->first), "the kind " + kind);
}

}  // namespace psflip::tools
