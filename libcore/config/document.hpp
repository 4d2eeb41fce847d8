// Parses YAML into nodes that know their place in the file, so that errors can name the place.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace psflip {

/// Holds a YAML value with its place in the file.
struct Node {
    enum class Kind { null, scalar, list, map };
    Kind kind = Kind::null;
    std::string place{};  ///< "config.yaml:12" (the line of the key), "--set", or "config.yaml" for a default
    std::string text{};   ///< text of a scalar, as written
    bool quoted = false;  ///< the scalar is in quotes, so it is text and never a number
    std::vector<Node> items{};                            ///< values of a list
    std::vector<std::pair<std::string, Node>> entries{};  ///< entries of a map, in the order of the file

    const Node* find(const std::string& key) const;  ///< returns the entry of a map, or nullptr
    Node* find(const std::string& key);
};

/// Limits of a study file. 64 temperatures with ten digits for each of 16 sizes take 14 KiB.
inline constexpr std::size_t max_document_bytes = std::size_t{64} << 10;
inline constexpr int max_document_depth = 16;

/// Reads a file with one YAML document, a map of at least one key. Errors: InputError with file and line for
/// a file that cannot be read or is not text, and all errors of parse_document.
Node read_document(const std::string& path);

/// Parses YAML text. `source` names it in places and errors, with ":line" if `with_lines`. Aliases become
/// copies. Errors: InputError for YAML syntax, text after the first document, repeated keys, a value that
/// contains itself, and documents above the limits.
Node parse_document(const std::string& text, const std::string& source, bool with_lines = true);

/// Sets the value of "key.path=value" (value in YAML) in `root`. The place of the new value is "--set".
/// Errors: InputError that names --set for a wrong form, or for a path through a value that is not a map.
void apply_override(Node& root, const std::string& assignment);

/// Returns the node at a dotted path, or nullptr.
const Node* find_path(const Node& root, const std::string& path);

/// Returns the value as one line of YAML for error messages. Long values are shortened.
std::string value_text(const Node& node);

}  // namespace psflip
