#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "base/error.hpp"
#include "config/document.hpp"

namespace psflip {
namespace {

constexpr std::size_t max_nodes = 20000;      ///< 64 temperatures for each of 127 sizes need 9000
constexpr std::size_t max_characters = 1000;  ///< of a key or value

struct Extent {
    std::size_t nodes = 1, depth = 1;
};

Extent extent(const Node& node) {
    Extent sum;
    const auto add = [&sum](const Node& part) {
        const Extent own = extent(part);
        sum.nodes += own.nodes;
        sum.depth = std::max(sum.depth, own.depth + 1);
    };
    for (const Node& item : node.items) add(item);
    for (const auto& entry : node.entries) add(entry.second);
    return sum;
}

/// Builds the tree of one document from the parser's events and refuses documents above the limits while the
/// tree grows. It refuses the beginning of a second document, because after text behind the end of a value
/// the parser offers empty documents for ever.
class TreeBuilder : public YAML::EventHandler {
  public:
    TreeBuilder(const std::string& text, const std::string& source, bool with_lines)
        : text_(text), source_(source), with_lines_(with_lines) {
        root_.place = source;
    }

    Node take() { return std::move(root_); }
    std::string place_of(const YAML::Mark& mark) const {
        return with_lines_ && !mark.is_null() ? fmt::format("{}:{}", source_, mark.line + 1) : source_;
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (!started_) {
            started_ = true;
            return;
        }
        throw InputError(place_of(mark) +
                         (begins_with_dashes(mark.line)
                              ? ": a second YAML document ('---') begins here; keep one document"
                              : ": text follows the end of the value; remove the text, or put "
                                "all of a list into [ ] and all of a map into { }"));
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        complete(begin(Node::Kind::null, mark), anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Node node = begin(Node::Kind::scalar, mark);
        if (value.size() > max_characters)
            throw InputError(fmt::format("{}: a key or value has {} characters; at most {} are allowed",
                                         node.place, value.size(), max_characters));
        node.text = value;
        node.quoted = tag == "!";
        complete(std::move(node), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchored_.find(anchor);
        if (found == anchored_.end())
            throw InputError(place_of(mark) + ": a value contains itself; remove its alias");
        const Extent size = extent(found->second);
        const std::string place = begin(found->second.kind, mark, size).place;
        Node node = found->second;
        node.place = place;
        complete(std::move(node), 0);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        levels_.push_back({begin(Node::Kind::list, mark), anchor});
    }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        levels_.push_back({begin(Node::Kind::map, mark), anchor});
    }
    void OnSequenceEnd() override { end_level(); }
    void OnMapEnd() override { end_level(); }

  private:
    /// A list or map that is still open.
    struct Level {
        Node node;
        YAML::anchor_t anchor = 0;
        bool has_key = false;  ///< the last of `entries` waits for its value
        std::unordered_map<std::string, std::string> key_places{};
    };

    bool at_key() const {
        return !levels_.empty() && levels_.back().node.kind == Node::Kind::map && !levels_.back().has_key;
    }

    /// Makes a node with its place. The place of a value is the place of its key.
    Node begin(Node::Kind kind, const YAML::Mark& mark, const Extent& size = {}) {
        const bool has_key = !levels_.empty() && levels_.back().has_key;
        const std::string place = has_key ? levels_.back().node.entries.back().second.place : place_of(mark);
        nodes_ += size.nodes;
        if (levels_.size() + size.depth > max_document_depth + 1 || nodes_ > max_nodes)
            throw InputError(place + ": the configuration is too large or nested too deeply");
        return Node{.kind = kind, .place = place};
    }

    void take_key(const Node& key) {
        if (key.kind != Node::Kind::scalar) throw InputError(key.place + ": a key must be a plain name");
        Level& level = levels_.back();
        const auto [first, added] = level.key_places.emplace(key.text, key.place);
        if (!added)
            throw InputError(fmt::format("{}: key {} is given twice (first at {}); keep one", key.place,
                                         key.text, first->second));
        level.node.entries.emplace_back(key.text, Node{.place = key.place});
        level.has_key = true;
    }

    void complete(Node node, YAML::anchor_t anchor) {
        if (anchor != 0) anchored_[anchor] = node;
        if (levels_.empty()) {
            root_ = std::move(node);
        } else if (at_key()) {
            take_key(node);
        } else if (Level& level = levels_.back(); level.has_key) {
            level.node.entries.back().second = std::move(node);
            level.has_key = false;
        } else {
            level.node.items.push_back(std::move(node));
        }
    }

    void end_level() {
        Level level = std::move(levels_.back());
        levels_.pop_back();
        complete(std::move(level.node), level.anchor);
    }

    bool begins_with_dashes(int line) const {
        std::size_t begin = 0;
        for (; line > 0 && begin < text_.size(); --line) begin = text_.find('\n', begin) + 1;
        return text_.compare(begin, 3, "---") == 0;
    }

    const std::string& text_;
    const std::string& source_;
    bool with_lines_;
    bool started_ = false;
    std::size_t nodes_ = 0;
    Node root_;
    std::vector<Level> levels_;
    std::unordered_map<YAML::anchor_t, Node> anchored_;
};

}  // namespace

Node parse_document(const std::string& text, const std::string& source, bool with_lines) {
    if (text.size() > max_document_bytes)
        throw InputError(fmt::format("{}: the configuration has more than {} KiB, which is too large", source,
                                     max_document_bytes >> 10));
    TreeBuilder builder(text, source, with_lines);
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) continue;
        return builder.take();
    } catch (const YAML::Exception& error) {
        throw InputError(
            fmt::format("{}: this is not valid YAML: {}", builder.place_of(error.mark), error.msg));
    }
}

}  // namespace psflip
