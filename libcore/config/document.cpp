#include "config/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/error.hpp"
#include "base/regular_file.hpp"

namespace psflip {
namespace {

constexpr int max_depth = 16;
constexpr int max_nodes = 100000;
constexpr std::size_t max_bytes = std::size_t{1} << 20;

/// Copies yaml-cpp's tree into ours, refusing repeated keys.
class Converter {
  public:
    Converter(const std::string& source, bool with_lines) : source_(source), with_lines_(with_lines) {}

    Node convert(const YAML::Node& yaml, const std::string& place, int depth = 0) {
        if (depth > max_depth || ++nodes_ > max_nodes)
            throw InputError(place + ": nested too deeply or too large for a configuration");
        Node node;
        node.place = place;
        if (yaml.IsScalar()) {
            node.kind = Node::Kind::scalar;
            node.text = yaml.Scalar();
            node.quoted = yaml.Tag() == "!";
        } else if (yaml.IsSequence()) {
            node.kind = Node::Kind::list;
            for (const YAML::Node& item : yaml)
                node.items.push_back(convert(item, place_of(item), depth + 1));
        } else if (yaml.IsMap()) {
            node.kind = Node::Kind::map;
            for (const auto& entry : yaml) add_entry(node, entry.first, entry.second, depth);
        }
        return node;
    }

    std::string place_of(const YAML::Node& yaml) const { return place_of(yaml.Mark()); }
    std::string place_of(const YAML::Mark& mark) const {
        return with_lines_ && !mark.is_null() ? fmt::format("{}:{}", source_, mark.line + 1) : source_;
    }

  private:
    void add_entry(Node& map, const YAML::Node& key, const YAML::Node& value, int depth) {
        const std::string place = place_of(key);
        if (!key.IsScalar()) throw InputError(place + ": a key must be a plain name");
        if (const Node* first = map.find(key.Scalar()))
            throw InputError(fmt::format("{}: key {} is given twice (first at {}); keep one", place,
                                         key.Scalar(), first->place));
        map.entries.emplace_back(key.Scalar(), convert(value, place, depth + 1));
    }

    std::string source_;
    bool with_lines_;
    int nodes_ = 0;
};

std::string read_text(const std::string& path) {
    const std::string text = read_regular_file(path, "the configuration", max_bytes);
    if (text.find('\0') != std::string::npos)
        throw InputError(path + ": is not a YAML configuration but a binary file");
    return text;
}

std::vector<std::string> split_path(const std::string& path) {
    std::vector<std::string> parts(1);
    for (char c : path) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

}  // namespace

const Node* Node::find(const std::string& key) const {
    for (const auto& [name, node] : entries)
        if (name == key) return &node;
    return nullptr;
}

Node* Node::find(const std::string& key) {
    return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

Node parse_document(const std::string& text, const std::string& source, bool with_lines) {
    Converter converter(source, with_lines);
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(text);
        if (documents.size() > 1)
            throw InputError(converter.place_of(documents[1]) + ": a second YAML document ('---'); keep one");
        if (documents.empty()) return Node{.place = source};
        return converter.convert(documents[0], converter.place_of(documents[0]));
    } catch (const YAML::Exception& error) {
        throw InputError(fmt::format("{}: not valid YAML: {}", converter.place_of(error.mark), error.msg));
    }
}

Node read_document(const std::string& path) {
    Node root = parse_document(read_text(path), path);
    if (root.kind == Node::Kind::null)
        throw InputError(path + ": the configuration is empty; start from configs/reference.yaml");
    if (root.kind != Node::Kind::map)
        throw InputError(root.place + ": the configuration is not a map of keys ('seed: 1', ...)");
    root.place = path;
    return root;
}

void apply_override(Node& root, const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw InputError(fmt::format("--set: '{}' is not of the form key.path=value", assignment));
    const std::string path = assignment.substr(0, equals);
    Node* node = &root;
    std::string walked;
    for (const std::string& part : split_path(path)) {
        if (part.empty())
            throw InputError(fmt::format("--set: '{}' has an empty part in its key", assignment));
        if (node->kind == Node::Kind::null) node->kind = Node::Kind::map;
        if (node->kind != Node::Kind::map)
            throw InputError(
                fmt::format("--set: {}: {} is the single value {} (from {}), not a map; set {} as a whole",
                            path, walked, value_text(*node), node->place, walked));
        if (!node->find(part)) node->entries.emplace_back(part, Node{.place = "--set"});
        node = node->find(part);
        walked += (walked.empty() ? "" : ".") + part;
    }
    try {
        *node = parse_document(assignment.substr(equals + 1), "--set", false);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{} (in {})", error.what(), assignment));
    }
}

const Node* find_path(const Node& root, const std::string& path) {
    const Node* node = &root;
    for (const std::string& part : split_path(path)) {
        node = node->find(part);
        if (!node) return nullptr;
    }
    return node;
}

std::string value_text(const Node& node) {
    constexpr std::size_t width = 60;
    std::string text;
    switch (node.kind) {
        case Node::Kind::null:
            text = "(nothing)";
            break;
        case Node::Kind::scalar:
            text = node.quoted ? '"' + node.text + '"' : node.text;
            break;
        case Node::Kind::list:
            for (const Node& item : node.items) {
                if (text.size() > width) break;
                text += (text.empty() ? "" : ", ") + value_text(item);
            }
            text = "[" + text + "]";
            break;
        case Node::Kind::map:
            for (const auto& [key, value] : node.entries) {
                if (text.size() > width) break;
                text += (text.empty() ? "" : ", ") + key + ": " + value_text(value);
            }
            text = "{" + text + "}";
            break;
    }
    return text.size() > width ? text.substr(0, width - 3) + "..." : text;
}

}  // namespace psflip
