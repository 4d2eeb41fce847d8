#pragma once

#include <string>
#include <utility>
#include <vector>

namespace psflip {

/// A YAML value with the place it came from, so that every error can name it.
struct Node {
    enum class Kind { null, scalar, list, map };
    Kind kind = Kind::null;
    std::string place{};  ///< "config.yaml:12" (the line of the key), "--set", or "config.yaml" for a default
    std::string text{};   ///< of a scalar, as written
    bool quoted = false;  ///< a scalar in quotes: text, never a number
    std::vector<Node> items{};                            ///< of a list
    std::vector<std::pair<std::string, Node>> entries{};  ///< of a map, in the order of the file

    const Node* find(const std::string& key) const;  ///< entry of a map, or nullptr
    Node* find(const std::string& key);
};

/// What a configuration may be at most. 64 temperatures with ten digits for each of 16 sizes take 14 KiB.
inline constexpr std::size_t max_document_bytes = std::size_t{64} << 10;
inline constexpr int max_document_depth = 16;

/// Reads one YAML document (a map of at least one key). Throws InputError with file and line for a file that
/// cannot be read or is not text, and as parse_document.
Node read_document(const std::string& path);

/// Parses YAML text; `source` names it in places and errors, with ":line" where `with_lines`. Anchors and
/// aliases are resolved by copying. Throws InputError for YAML syntax errors, several documents or other text
/// after the first, repeated keys, a value that contains itself, and what is larger or deeper than any
/// configuration.
Node parse_document(const std::string& text, const std::string& source, bool with_lines = true);

/// Applies "key.path=value" (value in YAML) on top of `root`; places in it become "--set". Throws InputError
/// naming
/// --set for a wrong form, or a path through something that is not a map.
void apply_override(Node& root, const std::string& assignment);

/// The node at a dotted path, or nullptr.
const Node* find_path(const Node& root, const std::string& path);

/// The value as one line of YAML, shortened where it is long: for error messages.
std::string value_text(const Node& node);

}  // namespace psflip
