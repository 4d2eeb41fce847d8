#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "config/document.hpp"
#include "config/keys.hpp"
#include "config/limits.hpp"
#include "config/reference.hpp"
#include "random/purposes.hpp"
#include "unit/config/scratch.hpp"

using namespace psflip;

namespace {

const std::string reference_path = std::string(PSFLIP_SOURCE_DIR) + "/configs/reference.yaml";

std::vector<std::string> reference_lines() {
    std::ifstream file(reference_path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::string last_part(const std::string& path) {
    return path.substr(path.rfind('.') + 1);
}

/// The comment lines right above line `number` (from 1).
std::string comment_above(const std::vector<std::string>& lines, int number) {
    std::string comment;
    for (int i = number - 2; i >= 0; --i) {
        const std::size_t start = lines[i].find_first_not_of(' ');
        if (start == std::string::npos || lines[i][start] != '#') break;
        comment = lines[i].substr(start + 1) + "\n" + comment;
    }
    return comment;
}

/// Returns the line (from 1) of the key, also if the key is commented out.
int line_of(const std::vector<std::string>& lines, const Node& root, const Key& key) {
    if (const Node* node = find_path(root, key.path))
        return std::stoi(node->place.substr(node->place.rfind(':') + 1));
    const std::string commented = "# " + last_part(key.path) + ":";
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(commented) != std::string::npos;
    });
    return found == lines.end() ? 0 : static_cast<int>(found - lines.begin()) + 1;
}

void collect_paths(const Node& node, const std::string& prefix, std::vector<std::string>& paths) {
    for (const auto& [name, value] : node.entries) {
        paths.push_back(prefix + name);
        collect_paths(value, prefix + name + ".", paths);
    }
}

}  // namespace

TEST_CASE(
    "the reference configuration, the schema and the page of limits are written from the table of keys") {
    const std::string schema_path = std::string(PSFLIP_SOURCE_DIR) + "/workflows/schemas/config.schema.yaml";
    for (const auto& [path, text] : {std::pair(reference_path, reference_yaml()),
                                     {schema_path, schema_yaml()},
                                     {std::string(PSFLIP_SOURCE_DIR) + "/docs/limits.md", limits_page()}}) {
        if (std::getenv("PSFLIP_WRITE_REFERENCE")) std::ofstream(path) << text;
        std::ostringstream found;
        found << std::ifstream(path).rdbuf();
        CHECK_MESSAGE(found.str() == text, path, ": write it anew with PSFLIP_WRITE_REFERENCE=1 unit_config");
    }
}

TEST_CASE("the reference configuration has every key with its default, unit and range") {
    const Node root = read_document(reference_path);
    const std::vector<std::string> lines = reference_lines();
    for (const Key& key : config_keys()) {
        CAPTURE(key.path);
        const int line = line_of(lines, root, key);
        REQUIRE(line > 0);
        const Node* node = find_path(root, key.path);
        CHECK((node != nullptr) == (key.path != "temperatures.list"));
        if (node && key.path != "temperatures") CHECK(value_text(*node) == key.default_value);
        const std::string wanted =
            fmt::format("[{}{}{}]", key.unit, key.unit.empty() ? "" : "; ", range_text(key));
        const std::string comment = comment_above(lines, line);
        CAPTURE(comment);
        CHECK_MESSAGE(comment.find(wanted) != std::string::npos, wanted);
    }
}

TEST_CASE("the reference configuration follows the order of the table and has nothing else") {
    std::vector<std::string> paths;
    collect_paths(read_document(reference_path), "", paths);
    std::vector<std::string> known;
    for (const std::string& path : paths)
        if (find_key(path)) known.push_back(path);
    std::vector<std::string> table;
    for (const Key& key : config_keys())
        if (key.path != "temperatures.list") table.push_back(key.path);
    CHECK(known == table);
    for (const std::string& path : paths) CHECK_MESSAGE((find_key(path) || is_section(path)), path);
}

TEST_CASE("the reference configuration is what an almost empty file resolves to") {
    CHECK(load_config(reference_path).yaml == test::load_text("replicas: 2\n").yaml);
}

TEST_CASE("the table of keys is complete and its paths differ") {
    std::set<std::string> paths;
    for (const Key& key : config_keys()) {
        CHECK_MESSAGE(paths.insert(key.path).second, key.path);
        CHECK_MESSAGE(!key.doc.empty(), key.path);
        CHECK_MESSAGE((key.low < key.high || !key.allowed.empty()), key.path);
    }
}

TEST_CASE("the limits equal the limits of the random counter") {
    CHECK(limits::sweeps == max_sweeps);
    CHECK(limits::realizations == max_packs);
    CHECK(limits::temperatures == max_temperatures);
    CHECK(limits::replicas == max_replicas);
}
