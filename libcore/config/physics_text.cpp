#include "config/physics_text.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace psflip {

namespace {

using Line = std::pair<std::string, std::string>;

/// "key: value" lines in order; a line without a colon is a key without value.
std::vector<Line> lines_of(const std::string& text) {
    std::vector<Line> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (line.empty()) continue;
        const auto colon = line.find(": ");
        if (colon == std::string::npos)
            lines.emplace_back(line, "");
        else
            lines.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    return lines;
}

std::string value_of(const std::vector<Line>& lines, const std::string& key) {
    for (const Line& line : lines)
        if (line.first == key) return line.second;
    return "(none)";
}

}  // namespace

std::string without_lanes(const std::string& physics) {
    std::string rest;
    std::istringstream stream(physics);
    for (std::string line; std::getline(stream, line);)
        if (line.rfind("lanes: ", 0) != 0) rest += line + "\n";
    return rest;
}

Difference first_difference(const std::string& first, const std::string& second) {
    const auto a = lines_of(first), b = lines_of(second);
    for (const Line& line : a)
        if (const std::string other = value_of(b, line.first); other != line.second)
            return {line.first, line.second, other};
    for (const Line& line : b)
        if (value_of(a, line.first) == "(none)") return {line.first, "(none)", line.second};
    return {};
}

void check_same_physics(const std::string& first_name, const std::string& first,
                        const std::string& second_name, const std::string& second,
                        const std::string& remedy) {
    if (const Difference difference = first_difference(first, second))
        throw InputError(fmt::format("{} has {} = {}, but {} has {} = {}; {}", first_name, difference.key,
                                     difference.first, second_name, difference.key, difference.second,
                                     remedy));
}

}  // namespace psflip
