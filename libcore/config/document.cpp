#include "config/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/regular_file.hpp"

namespace psflip {
namespace {

std::string read_text(const std::string& path) {
    std::string text = read_regular_file(path, "the configuration", max_document_bytes);
    if (text.find('\0') != std::string::npos)
        throw InputError(path + ": this is a binary file, not a YAML configuration");
    return text;
}

std::string shortened(const std::string& text) {
    constexpr std::size_t width = 60;
    return text.size() > width ? text.substr(0, width - 3) + "..." : text;
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

Node read_document(const std::string& path) {
    Node root = parse_document(read_text(path), path);
    if (root.kind == Node::Kind::null)
        throw InputError(path + ": the configuration is empty; start from configs/reference.yaml");
    if (root.kind != Node::Kind::map)
        throw InputError(
            root.place +
            ": the configuration is not a map of keys; write keys with values, such as 'seed: 1'");
    root.place = path;
    return root;
}

void apply_override(Node& root, const std::string& assignment) {
    const std::string shown = shortened(assignment);
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw InputError(fmt::format("--set: '{}' is not of the form key.path=value", shown));
    const std::string path = assignment.substr(0, equals);
    constexpr std::size_t longest = 1000;
    if (path.size() > longest || std::count(path.begin(), path.end(), '.') >= max_document_depth)
        throw InputError(fmt::format("--set: the key of '{}' is too long", shown));
    Node* node = &root;
    std::string walked;
    for (const std::string& part : split_path(path)) {
        if (part.empty()) throw InputError(fmt::format("--set: the key of '{}' has an empty part", shown));
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
        throw InputError(fmt::format("{} (in {})", error.what(), shown));
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
    constexpr std::size_t enough = 60;
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
                if (text.size() > enough) break;
                text += (text.empty() ? "" : ", ") + value_text(item);
            }
            text = "[" + text + "]";
            break;
        case Node::Kind::map:
            for (const auto& [key, value] : node.entries) {
                if (text.size() > enough) break;
                text += (text.empty() ? "" : ", ") + key + ": " + value_text(value);
            }
            text = "{" + text + "}";
            break;
    }
    return shortened(text);
}

}  // namespace psflip
