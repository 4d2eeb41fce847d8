#include "config/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <utility>

#include "config/keys.hpp"

namespace psflip {
namespace {

constexpr std::size_t line_width = 120;

std::string first_part(const std::string& path) {
    return path.substr(0, path.find('.'));
}

/// Returns comment lines after `indent`. Lines of `text` that begin with a blank are not wrapped.
std::string comment(const std::string& text, const std::string& indent) {
    std::string lines;
    std::istringstream paragraphs(text);
    for (std::string paragraph; std::getline(paragraphs, paragraph);) {
        std::string line = indent + "#";
        std::istringstream words(paragraph);
        if (paragraph.starts_with(' ')) {
            lines += fmt::format("{} {}\n", line, paragraph);
            continue;
        }
        for (std::string word; words >> word;) {
            if (line.size() + 1 + word.size() > line_width) {
                lines += line + "\n";
                line = indent + "#";
            }
            line += " " + word;
        }
        lines += line + "\n";
    }
    return lines;
}

/// Returns the comment and the default of one key.
std::string reference_lines(const Key& key, const std::string& indent) {
    const std::string name = key_name(key.path);
    const std::string range =
        fmt::format("[{}{}{}]", key.unit, key.unit.empty() ? "" : "; ", range_text(key));
    const std::string text = comment(key.doc + ".", indent) + indent + "# " + range + "\n" + indent;
    if (is_section(key.path)) return text + name + ":\n";
    if (key.default_value.empty()) return text + "# " + name + ": [...]\n";
    return text + name + ": " + key.default_value + "\n";
}

std::string schema_number(double value) {
    return value >= 1e19 ? "18446744073709551615" : fmt::format("{}", value);
}

/// Returns the schema of a single value: "type: integer, minimum: 1, maximum: 8", or the allowed values.
std::string one_value(const Key& key, bool integer) {
    if (!key.allowed.empty()) return fmt::format("enum: [{}]", fmt::join(key.allowed, ", "));
    return fmt::format("type: {}, minimum: {}, maximum: {}", integer ? "integer" : "number",
                       schema_number(key.low), schema_number(key.high));
}

std::string per_size(const std::string& value) {
    return fmt::format("{{$ref: \"#/$defs/per_size\", additionalProperties: {}}}", value);
}

/// Returns the schema of a key's value.
std::string constraint(const Key& key) {
    const bool reals = std::holds_alternative<KeyValue<std::vector<double>>>(key.field);
    const bool real = reals || std::holds_alternative<KeyValue<double>>(key.field);
    std::string value = one_value(key, !real);
    if (!key.schema.empty()) value += ", " + key.schema;
    if (std::holds_alternative<KeyValue<std::map<int, std::int64_t>>>(key.field))
        return fmt::format("oneOf: [{{{}}}, {}]", value, per_size("{" + value + "}"));
    if (reals || std::holds_alternative<KeyValue<std::vector<std::int64_t>>>(key.field))
        return fmt::format("type: array, maxItems: {}, items: {{{}}}", reals ? 1024 : 64, value);
    if (std::holds_alternative<KeyValue<std::vector<int>>>(key.field))
        return fmt::format(
            "oneOf: [{{{0}}}, {{type: array, minItems: 1, uniqueItems: true, items: {{{0}}}}}]", value);
    return value;
}

std::string with_default(const std::string& what, const Key& key) {
    std::string doc = key.doc.substr(0, key.doc.find('\n'));
    if (!key.unit.empty()) doc += fmt::format(" [{}]", key.unit);
    const std::string value =
        key.default_value.empty() ? "" : fmt::format(", default: {}", key.default_value);
    return fmt::format("{}: {{{}{}{}, description: \"{}\"}}\n", key_name(key.path), what, value,
                       key.omits_default ? ", omits_default: true" : "", doc);
}

std::string schema_section(const std::string& name) {
    return fmt::format(
        "  {}:\n    type: object\n    additionalProperties: false\n    default: {{}}\n    properties:\n",
        name);
}

/// Returns the schema of the temperatures of one size: a list, or lowest, highest, number and spacing.
std::string ladder_schema() {
    const auto part = [](const char* name, bool integer) {
        const Key& key = *find_key(std::string("temperatures.") + name);
        return "      " + with_default(one_value(key, integer), key);
    };
    const Key& list = *find_key("temperatures.list");
    const auto most = static_cast<int>(find_key("temperatures.count")->high);
    const std::string items =
        fmt::format("type: array, minItems: 1, maxItems: {}, uniqueItems: true, items: {{{}}}", most,
                    one_value(list, false));
    return "  temperatures:\n    type: object\n    additionalProperties: false\n    properties:\n      " +
           with_default(items, list) + part("min", false) + part("max", false) + part("count", true) +
           part("spacing", false) + "    if: {required: [list]}\n    then: {maxProperties: 1}\n";
}

}  // namespace

std::string reference_yaml() {
    std::string text =
        "# All keys of a psflip study file. If a study file lacks a key, the key has the default shown "
        "here.\n"
        "# A comment explains each key. Brackets give its unit and its allowed range: [unit; range; "
        "conditions].\n"
        "# The option --set of the programs overrides a key: --set run.sweeps=16384 --set lattice.L=[4,6]\n";
    std::string section;
    for (const Key& key : config_keys()) {
        const bool inside = key.path.find('.') != std::string::npos;
        const std::string part = first_part(key.path);
        if (part != section) text += '\n';
        if (part != section && inside) text += part + ":\n";
        section = part;
        text += reference_lines(key, inside ? "  " : "");
    }
    return text;
}

std::string limits_page() {
    std::string text =
        "# Limits and combinations of keys\n\n"
        "    psflip keys run        # prints the keys of a section with their descriptions\n\n"
        "Every key of a study file has a range. Lists below the tables give conditions that involve other "
        "keys. psflip checks all ranges and conditions before anything runs.\n"
        "[Models and limits](models.md) lists the largest lattices, and "
        "[reference.yaml](../configs/reference.yaml) describes the keys.\n";
    std::string section, conditions;
    const auto end_section = [&] {
        if (!conditions.empty()) text += "\n" + std::exchange(conditions, "");
    };
    for (const Key& key : config_keys()) {
        if (first_part(key.path) != section) {
            end_section();
            section = first_part(key.path);
            text += fmt::format("\n## {}\n\n| key | range | default |\n|---|---|---|\n", section);
        }
        Key range = key;
        range.rule.clear();
        text += fmt::format("| `{}` | {}{} | {} |\n", key.path, range_text(range),
                            key.unit.empty() ? "" : " " + key.unit,
                            key.default_value.empty() ? "none" : "`" + key.default_value + "`");
        if (!key.rule.empty()) conditions += fmt::format("- `{}`: {}.\n", key.path, key.rule);
    }
    end_section();
    return text;
}

std::string schema_yaml() {
    std::string text =
        "# The psflip study file, for the workflow. Written from the table of libcore/config/keys.cpp, see "
        "the README there.\n"
        "$schema: \"https://json-schema.org/draft/2020-12/schema\"\n"
        "title: psflip study\ntype: object\nadditionalProperties: false\nproperties:\n";
    std::string section;
    for (const Key& key : config_keys()) {
        const bool inside = key.path.find('.') != std::string::npos;
        const std::string part = first_part(key.path);
        if (part == "temperatures") {  // see ladder_schema
            if (inside) continue;
            const std::string one = "{$ref: \"#/$defs/temperatures\"}";
            text +=
                "  " + with_default(fmt::format("oneOf: [{}, {}], default: {{}}", one, per_size(one)), key);
            continue;
        }
        if (inside && part != section) text += schema_section(part);
        section = part;
        text += (inside ? "      " : "  ") + with_default(constraint(key), key);
    }
    return text +
           "$defs:\n  per_size: {type: object, minProperties: 1, propertyNames: {pattern: "
           "\"^([0-9]+|default)$\"}}\n" +
           ladder_schema();
}

}  // namespace psflip
