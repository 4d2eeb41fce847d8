// The section of docs/definitions.md that lists all observables and averages is written from their tables.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "statistics/average/averages.hpp"

using namespace psflip;

namespace {

const std::string page = std::string(PSFLIP_SOURCE_DIR) + "/docs/definitions.md";
constexpr std::string_view begin = "<!-- observables: begin -->\n", end = "<!-- observables: end -->\n";

/// Escapes what Markdown would read as marks.
std::string text_of(const char* doc) {
    std::string text;
    for (const char c : std::string_view(doc))
        text += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '_' ? "\\_" : std::string(1, c);
    return text;
}

std::string unit_of(const char* unit) {
    return std::string_view(unit) == "1" ? "" : fmt::format(" ({})", text_of(unit));
}

std::string row_of(const char* name, const char* mark, const char* unit, const char* doc) {
    return fmt::format("- `{}`{}{}: {}\n", name, mark, unit_of(unit), text_of(doc));
}

std::string lists() {
    std::string text =
        "These are the thermal averages of one realization. An asterisk marks averages whose disorder "
        "average [...] is in `results.csv`:\n\n";
    for (const ObservableInfo& row : observable_table)
        text += row_of(row.name, row.in_results ? "\\*" : "", row.unit, row.doc);
    text += "\nThese are functions of disorder averages:\n\n";
    for (const AverageInfo& row : average_table)
        if (!row.is_mean()) text += row_of(row.name, "", row.unit, row.doc);
    return text;
}

}  // namespace

TEST_CASE("the page of definitions lists all observables and averages") {
    std::ostringstream stream;
    stream << std::ifstream(page).rdbuf();
    std::string found = stream.str();
    const std::size_t first = found.find(begin) + begin.size(), last = found.find(end);
    REQUIRE(last != std::string::npos);
    if (std::getenv("PSFLIP_WRITE_REFERENCE")) {
        found.replace(first, last - first, lists());
        std::ofstream(page) << found;
        return;
    }
    CHECK_MESSAGE(found.substr(first, last - first) == lists(), page,
                  ": write it anew with PSFLIP_WRITE_REFERENCE=1 unit_statistics");
}
