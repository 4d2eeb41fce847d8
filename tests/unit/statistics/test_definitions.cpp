// The section of docs/definitions.md that lists all observables and averages is written from their tables.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
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

const AverageInfo* plain_average(Observable observable) {
    const auto row = std::ranges::find_if(average_table, [&](const AverageInfo& average) {
        return average.form == Form::mean && average.observables[0] == observable;
    });
    return row == average_table.end() ? nullptr : &*row;
}

std::string lists() {
    std::string text = "Observables of one realization, and the disorder averages of the same names:\n\n";
    for (const ObservableInfo& row : observable_table) {
        const AverageInfo* average = plain_average(row.observable);
        text += fmt::format("- `{}`{}: {}{}\n", row.name, unit_of(row.unit), text_of(row.doc),
                            average ? "; disorder average " + text_of(average->doc) : "");
    }
    text += "\nFunctions of disorder averages:\n\n";
    for (const AverageInfo& row : average_table)
        if (row.form != Form::mean)
            text += fmt::format("- `{}`{}: {}\n", row.name, unit_of(row.unit), text_of(row.doc));
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
