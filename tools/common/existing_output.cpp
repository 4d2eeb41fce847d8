#include "common/existing_output.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/version.hpp"
#include "io/existing_file.hpp"
#include "io/schema.hpp"

namespace psflip::tools {
namespace {

struct TextBeginning {
    const char *kind, *beginning;
};

/// Lists the beginnings of texts. The first that fits decides the kind.
constexpr TextBeginning beginnings[] = {
    {text_kind::results, "L,T,beta,n_realizations,"},
    {text_kind::temperatures, "# Temperatures for L = "},
    {text_kind::audit, R"({"format": "psflip audit",)"},
    {text_kind::timings_table, "series,backend,L,share,"},
    {text_kind::slab_timings, "[\n  {\"series\": \"slabs\","},
    {text_kind::vector_timings, "[\n  {\"series\": \"vectors\","},
    {text_kind::vector_timings, "[\n  {\"series\": \"lengths\","},
    {text_kind::large_lattices, "[\n  {\"series\": \"flips\","},
    {text_kind::large_lattices, "[\n  {\"series\": \"averages\","},
    {text_kind::timings, "[\n  {\"series\": \"list\","},
    {text_kind::timings, "[\n  {\"series\": \"table\","},
    {text_kind::timings, "[\n  {\"series\": \"sizes\","},
    {text_kind::timings, "[\n  {\"series\": \"columns\","},
    {text_kind::timings, "[\n  {\"series\": \"lanes\","},
    {text_kind::timings, "[\n  {\"series\": \"relax\","},
    {text_kind::generators, "[\n  {\"series\": "},
};

/// Returns the kind of a file; empty if psflip did not make it.
std::string kind_of(const ExistingFile& file) {
    if (file.label) return file.label->kind;
    for (const TextBeginning& text : beginnings)
        if (file.beginning.starts_with(text.beginning)) return text.kind;
    return {};
}

/// Returns what distinguishes the file from what this call writes; empty if nothing does.
std::string difference(const ExistingFile& file, const std::string& kind) {
    if (!file.damage.empty()) return fmt::format("which cannot be read ({})", file.damage);
    if (const std::string found = kind_of(file); found != kind)
        return fmt::format("of the kind {}, but this call writes the kind {}", found, kind);
    if (!file.label) return {};
    const auto other = [](const char* name, std::int64_t there, std::int64_t now) {
        return there == now ? "" : fmt::format("with {} {}, but this call writes {}", name, there, now);
    };
    const std::string format = other(schema::format_version, file.label->format_version, format_version);
    return format.empty() ? other(schema::physics_version,
                                  file.label->physics_version.value_or(physics_version), physics_version)
                          : format;
}

}  // namespace

void check_existing_output(const NamedFile& output, const std::string& kind, bool force) {
    const ExistingFile file = existing_file(output.path);
    if (file.beginning.empty()) return;
    if (file.damage.empty() && kind_of(file).empty())
        throw InputError(
            fmt::format("{} {}: this file exists, and psflip did not write it. psflip never replaces such a "
                        "file; remove it, or give another name",
                        output.option, output.path));
    if (force) return;
    if (const std::string found = difference(file, kind); !found.empty())
        throw InputError(
            fmt::format("{} {}: a file of that name exists, {}; give another name, or --force to replace it",
                        output.option, output.path, found));
}

}  // namespace psflip::tools
