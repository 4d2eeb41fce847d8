#include "config/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "config/limits.hpp"
#include "config/value.hpp"

namespace psflip {
namespace {

const Key& part_key(const std::string& name) {
    return *find_key("temperatures." + name);
}

void check_parts(const Node& node, const std::string& path) {
    if (node.kind == Node::Kind::list) refuse(node, path, "is a list; write {list: [...]}");
    if (node.kind != Node::Kind::map)
        refuse(node, path,
               "is not a ladder; write {list: [...]} or {min: ..., max: ..., count: ..., spacing: ...}");
    for (const auto& [name, value] : node.entries)
        if (!find_key("temperatures." + name))
            throw InputError(fmt::format("{}: unknown key {}.{}; {}", value.place, path, name,
                                         suggestion("temperatures." + name)));
    if (!node.find("list") || node.entries.size() == 1) return;
    for (const auto& [name, value] : node.entries)
        if (name != "list")
            throw InputError(
                fmt::format("{}: {} has both list and {}; keep one form", value.place, path, name));
}

std::vector<double> read_list(const Node& list, const std::string& path) {
    if (list.kind != Node::Kind::list || list.items.empty())
        refuse(list, path, "is not a list of temperatures; write [0.9, 1.0, 1.1]");
    if (list.items.size() > static_cast<std::size_t>(limits::temperatures))
        throw InputError(fmt::format("{}: {} has {} temperatures; at most {} are possible", list.place, path,
                                     list.items.size(), limits::temperatures));
    std::vector<double> values;
    for (const Node& item : list.items) values.push_back(read_real(item, path, part_key("list")));
    return values;
}

std::vector<double> read_range(const Node& node, const std::string& path) {
    const auto part = [&](const std::string& name) {
        if (const Node* given = node.find(name)) return *given;
        return parse_document(part_key(name).default_value, node.place + " (default)", false);
    };
    const Node low = part("min");
    const double min = read_real(low, path + ".min", part_key("min"));
    const double max = read_real(part("max"), path + ".max", part_key("max"));
    const auto count = static_cast<int>(read_integer(part("count"), path + ".count", part_key("count")));
    const auto spacing = named<Spacing>(read_name(part("spacing"), path + ".spacing", part_key("spacing")));
    if (min >= max) refuse(low, path + ".min", fmt::format("is not below {}.max = {}", path, real_text(max)));
    return make_ladder(min, max, count, spacing);
}

}  // namespace

std::vector<double> make_ladder(double min, double max, int count, Spacing spacing) {
    constexpr int digits = 10;
    std::vector<double> values{min};
    for (int i = 1; i + 1 < count; ++i) {
        const double x = static_cast<double>(i) / (count - 1);
        if (spacing == Spacing::linear)
            values.push_back(rounded(min + (max - min) * x, digits));
        else if (spacing == Spacing::geometric)
            values.push_back(rounded(min * std::pow(max / min, x), digits));
        else
            values.push_back(rounded(1.0 / (1.0 / min + (1.0 / max - 1.0 / min) * x), digits));
    }
    values.push_back(max);
    return values;
}

std::vector<double> read_ladder(const Node& node, const std::string& path) {
    check_parts(node, path);
    const Node* list = node.find("list");
    std::vector<double> values = list ? read_list(*list, path + ".list") : read_range(node, path);
    std::sort(values.begin(), values.end());
    const auto repeated = std::adjacent_find(values.begin(), values.end());
    if (repeated != values.end())
        throw InputError(fmt::format("{}: {} has the temperature {} twice; give each temperature once",
                                     list ? list->place : node.place, path, real_text(*repeated)));
    return values;
}

}  // namespace psflip
