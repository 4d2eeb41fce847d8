#include "common/own_text.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <sstream>
#include <vector>

namespace psflip::tools {
namespace {

using Lines = std::span<const std::string>;

/// Fields of a line of a table; a comma between quotation marks belongs to its field.
std::size_t fields(const std::string& line) {
    bool quoted = false;
    std::size_t count = 1;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) ++count;
    }
    return count;
}

/// All lines have as many fields as the first.
bool is_table(Lines lines) {
    return std::all_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return fields(line) == fields(lines.front()); });
}

bool only(const std::string& text, const char* characters) {
    return text.find_first_not_of(characters) == std::string::npos;
}

/// Numbers, nan and inf; a field is left out at the hottest temperature.
bool is_results(Lines lines) {
    return is_table(lines) && std::all_of(lines.begin() + 1, lines.end(), [](const std::string& line) {
               return only(line, "0123456789.,+-einfa");
           });
}

/// Comments, then the key of the temperatures and nothing else.
bool is_temperatures(Lines lines) {
    const auto key = std::find_if(lines.begin(), lines.end(),
                                  [](const std::string& line) { return !line.starts_with('#'); });
    const std::string list = "  list: [";
    return lines.end() - key == 2 && *key == "temperatures:" && (key + 1)->starts_with(list) &&
           only((key + 1)->substr(list.size()), "0123456789.e+-, ]");
}

/// One key per line, each of which psflip writes.
bool is_audit(Lines lines) {
    constexpr std::array keys = {"equal",
                                 "L",
                                 "first_realization",
                                 "realizations",
                                 "batch",
                                 "sweeps",
                                 "files",
                                 "original",
                                 "rerun",
                                 "values",
                                 "hash_in_files",
                                 "hash_in_rerun",
                                 "differences",
                                 "flips",
                                 "seconds",
                                 "first_difference",
                                 "time"};
    return lines.back().ends_with("}") &&
           std::all_of(lines.begin() + 1, lines.end(), [&](const std::string& line) {
               return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
                   return line.starts_with(" \"" + key + "\": ");
               });
           });
}

bool is_timings(Lines lines) {
    return lines.back() == "]" &&
           std::all_of(lines.begin() + 1, lines.end() - 1, [](const std::string& line) {
               return line.starts_with("  {\"series\": ") && (line.ends_with("}") || line.ends_with("},"));
           });
}

/// Of a list, by the first row's series: what is none of the others is of bench-rng.
const char* list_kind(const std::string& row) {
    const auto is_one_of = [&](std::initializer_list<const char*> series) {
        return std::any_of(series.begin(), series.end(), [&](const char* name) {
            return row.starts_with("  {\"series\": \"" + std::string(name) + "\",");
        });
    };
    if (is_one_of({"list", "table", "sizes", "columns", "lanes", "relax"})) return text_kind::timings;
    if (is_one_of({"slabs"})) return text_kind::slab_timings;
    if (is_one_of({"vectors", "lengths"})) return text_kind::vector_timings;
    if (is_one_of({"flips", "averages"})) return text_kind::large_lattices;
    return text_kind::generators;
}

struct OwnText {
    const char* kind;
    const char* beginning;
    bool (*is_own)(Lines);
};

constexpr std::array<OwnText, 5> own_texts = {
    {{text_kind::results, "L,T,beta,n_realizations,", is_results},
     {text_kind::temperatures, "# Temperatures for L = ", is_temperatures},
     {text_kind::audit, "{\"format\": \"psflip audit\",", is_audit},
     {text_kind::timings, "[\n  {\"series\": ", is_timings},
     {text_kind::timings_table, "series,backend,L,share,", is_table}}};

}  // namespace

std::optional<std::string> text_kind_of(const std::string& text) {
    const auto own = std::find_if(own_texts.begin(), own_texts.end(),
                                  [&](const OwnText& known) { return text.starts_with(known.beginning); });
    if (own == own_texts.end()) return std::nullopt;
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    if (!own->is_own(lines)) return std::nullopt;
    return own->is_own == is_timings ? list_kind(lines[1]) : own->kind;
}

}  // namespace psflip::tools
