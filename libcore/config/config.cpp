#include "config/config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "config/checks.hpp"
#include "config/document.hpp"
#include "config/keys.hpp"
#include "config/ladder.hpp"
#include "config/limits.hpp"
#include "config/resolved.hpp"
#include "config/value.hpp"

namespace psflip {
namespace {

std::string size_list(const std::vector<int>& sizes) {
    return fmt::format("[{}]", fmt::join(sizes, ", "));
}

/// Returns whether the value at a path is this name, with or without quotes.
bool has_name(const Node& root, const char* path, const char* name) {
    const Node* node = find_path(root, path);
    return node && node->kind == Node::Kind::scalar && node->text == name;
}

/// Sets a missing multispin.share to 1 in studies in which every spin needs its own random number.
void fill_share(Node& root, const std::string& place) {
    const auto is = [&root](const char* path, auto value) { return has_name(root, path, name(value)); };
    if (!is("multispin.lanes", Lanes::replicas) && !is("multispin.lanes", Lanes::sites) &&
        !is("model.kind", ModelKind::heisenberg) && !is("model.couplings", Couplings::gaussian) &&
        !is("dynamics.update", Update::demon) && !is("dynamics.update", Update::swendsen_wang) &&
        !is("dynamics.update", Update::wolff))
        return;
    if (!root.find("multispin"))
        root.entries.emplace_back("multispin", Node{.kind = Node::Kind::map, .place = place});
    Node* multispin = root.find("multispin");
    if (multispin->find("share")) return;
    multispin->entries.emplace_back("share", parse_document("1", place, false));
}

/// Adds every missing key with its default to the tree.
void fill_defaults(Node& root, const std::string& file) {
    const std::string place = file + " (default)";
    fill_share(root, place);
    for (const Key& key : config_keys()) {
        if (std::holds_alternative<std::monostate>(key.field)) continue;
        const std::size_t dot = key.path.find('.');
        Node* parent = &root;
        if (dot != std::string::npos) {
            const std::string section = key.path.substr(0, dot);
            if (!root.find(section))
                root.entries.emplace_back(section, Node{.kind = Node::Kind::map, .place = place});
            parent = root.find(section);
        }
        const std::string name = key.path.substr(dot + 1);
        if (parent->find(name)) continue;
        const bool ladder = key.path == "temperatures";
        parent->entries.emplace_back(name, ladder ? Node{.kind = Node::Kind::map, .place = file}
                                                  : parse_document(key.default_value, place, false));
    }
}

void check_size(const Node& node, int size, int most) {
    if (size < 2)
        refuse(node, "lattice.L", fmt::format("has {}: a lattice needs even L from 4 to {}", size, most));
    if (size % 2 != 0)
        refuse(node, "lattice.L",
               fmt::format(
                   "has {}, which is odd: the checkerboard update with periodic boundaries needs even L, so "
                   "that no two neighbours have the same colour; use {} or {}",
                   size, std::max(4, size - 1), std::max(4, size - 1) + 2));
    if (size == 2) refuse(node, "lattice.L", "has 2, with which each bond would be double; use 4 or more");
    if (size > most)
        refuse(node, "lattice.L",
               fmt::format(
                   "has {}, which is too large; use at most {}{}", size, most,
                   most == limits::max_L
                       ? fmt::format(
                             ", or at most {} for Ising spins in two dimensions with multispin.lanes = sites",
                             limits::max_square_L)
                       : ""));
}

/// Returns the largest size that the model and its lane coding allow. `root` has all keys.
int max_size(const Node& root) {
    const char* dimension = "model.dimension";
    const bool square = read_integer(*find_path(root, dimension), dimension, *find_key(dimension)) == 2 &&
                        has_name(root, "multispin.lanes", name(Lanes::sites));
    return square ? limits::max_square_L : limits::max_L;
}

std::vector<int> read_sizes(const Node& node, const Key& key, int most) {
    Key any = key;  // check_size explains the range better
    any.low = -2e9;
    any.high = 2e9;
    std::vector<int> sizes;
    const auto add = [&](const Node& item) {
        sizes.push_back(static_cast<int>(read_integer(item, key.path, any)));
        check_size(node, sizes.back(), most);
    };
    if (node.kind == Node::Kind::list) {
        for (const Node& item : node.items) add(item);
    } else {
        if (node.text.find_first_of(", ") != std::string::npos)
            refuse(node, key.path, "is not a number or a list; write several sizes as in [4, 6, 8]");
        add(node);
    }
    if (sizes.empty()) refuse(node, key.path, "is empty; give at least one size, as in [4, 6, 8]");
    std::sort(sizes.begin(), sizes.end());
    const auto repeated = std::adjacent_find(sizes.begin(), sizes.end());
    if (repeated != sizes.end())
        refuse(node, key.path, fmt::format("has {} twice; give each size once", *repeated));
    return sizes;
}

/// Reads a list of numbers that may be empty.
template <class T, class Read>
std::vector<T> read_list(const Node& node, const Key& key, std::size_t most, const Read& read) {
    if (node.kind != Node::Kind::list)
        refuse(node, key.path,
               fmt::format("is not a list; give a list, as in {}",
                           key.default_value.size() > 2 ? key.default_value : "[1, 2]"));
    if (node.items.size() > most)
        refuse(node, key.path, fmt::format("has {} values; at most {} are allowed", node.items.size(), most));
    std::vector<T> values;
    for (const Node& item : node.items) values.push_back(read(item, key.path, key));
    return values;
}

constexpr const char* other_sizes = "default";  ///< in a map per size: the key of all sizes without a key

bool names_size(const std::string& name) {
    return name == other_sizes ||
           (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos);
}

/// Reads the values of keys from a document into a Config.
class Reader {
  public:
    Reader(Config& config, const Node& root) : config_(config), root_(root) {}

    void read(const Key& key) {
        std::visit([&](auto field) { assign(field, key, *find_path(root_, key.path)); }, key.field);
    }

  private:
    void assign(std::monostate, const Key&, const Node&) {}
    void assign(KeyValue<std::uint64_t> value_in, const Key& key, const Node& node) {
        value_in(config_) = read_unsigned(node, key.path);
    }
    void assign(KeyValue<int> value_in, const Key& key, const Node& node) {
        value_in(config_) = static_cast<int>(read_integer(node, key.path, key));
    }
    void assign(KeyValue<std::int64_t> value_in, const Key& key, const Node& node) {
        value_in(config_) = read_integer(node, key.path, key);
    }
    void assign(KeyValue<double> value_in, const Key& key, const Node& node) {
        value_in(config_) = read_real(node, key.path, key);
    }
    void assign(const KeyChoice& choice, const Key& key, const Node& node) {
        choice.set(config_, read_name(node, key.path, key));
    }
    void assign(KeyValue<std::vector<int>> value_in, const Key& key, const Node& node) {
        value_in(config_) = read_sizes(node, key, max_size(root_));
    }
    void assign(KeyValue<std::vector<std::int64_t>> value_in, const Key& key, const Node& node) {
        value_in(config_) = read_list<std::int64_t>(node, key, 64, read_integer);
    }
    void assign(KeyValue<std::vector<double>> value_in, const Key& key, const Node& node) {
        value_in(config_) = read_list<double>(node, key, 1024, read_real);
    }
    void assign(KeyValue<std::map<int, std::int64_t>> value_in, const Key& key, const Node& node) {
        const bool per_size = node.kind == Node::Kind::map;
        value_in(config_) = for_sizes<std::int64_t>(
            key, node, per_size,
            [&](const Node& value, const std::string& path) { return read_integer(value, path, key); });
    }
    void assign(KeyValue<std::map<int, std::vector<double>>> value_in, const Key& key, const Node& node) {
        const bool per_size = std::any_of(node.entries.begin(), node.entries.end(),
                                          [](const auto& entry) { return names_size(entry.first); });
        value_in(config_) = for_sizes<std::vector<double>>(key, node, per_size, read_ladder);
    }

    template <class T, class Read>
    std::map<int, T> for_sizes(const Key& key, const Node& node, bool per_size, const Read& read_value) {
        std::map<int, T> values;
        if (!per_size) {
            const T value = read_value(node, key.path);
            for (int L : config_.sizes) values[L] = value;
            return values;
        }
        for (const auto& [name, value] : node.entries)
            if (name != other_sizes) add_size(values, key, name, value, read_value);
        for (const auto& [name, value] : node.entries)
            if (name == other_sizes) add_other_sizes(values, read_value(value, key.path + "." + other_sizes));
        for (int L : config_.sizes)
            if (!values.count(L))
                throw InputError(
                    fmt::format("{}: {} has no value for L = {} of lattice.L = {}; add {}: ..., or {}: ... "
                                "for all other sizes",
                                node.place, key.path, L, size_list(config_.sizes), L, other_sizes));
        return values;
    }

    template <class T>
    void add_other_sizes(std::map<int, T>& values, const T& value) {
        for (int L : config_.sizes) values.try_emplace(L, value);
    }

    template <class T, class Read>
    void add_size(std::map<int, T>& values, const Key& key, const std::string& name, const Node& value,
                  const Read& read_value) {
        const int L = read_size_name(name, value, key.path);
        // Sizes that are not in lattice.L may be added later, so their values are checked, too.
        const T read_now = read_value(value, fmt::format("{}.{}", key.path, L));
        if (std::binary_search(config_.sizes.begin(), config_.sizes.end(), L)) values[L] = read_now;
    }

    Config& config_;
    const Node& root_;
};

/// Returns the study of this document. `file` names it in errors.
Config config_of(Node root, const std::string& file) {
    check_known(root);
    fill_defaults(root, file);
    Config config;
    config.file = file;
    Reader reader(config, root);
    for (const Key& key : config_keys())
        if (!std::holds_alternative<std::monostate>(key.field)) reader.read(key);
    check_together(config, root);
    config.yaml = resolved_yaml(config);
    config.hash = fnv1a64(config.yaml);
    config.document = std::make_shared<const Node>(std::move(root));
    return config;
}

}  // namespace

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
    Node root = read_document(path);
    for (const std::string& assignment : overrides) apply_override(root, assignment);
    return config_of(std::move(root), path);
}

Config config_of_text(const std::string& yaml, const std::string& source) {
    return config_of(parse_document(yaml, source, false), source);
}

Config default_config() {
    return config_of({.kind = Node::Kind::map}, "default");
}

Parameters parameters_for(const Config& config, int L) {
    if (L == 0) {
        if (config.sizes.size() != 1)
            throw InputError(fmt::format("{} has several lattice sizes, {}; choose one with --L", config.file,
                                         size_list(config.sizes)));
        L = config.sizes[0];
    }
    if (!config.run_sweeps.count(L))
        throw InputError(
            fmt::format("--L {} is not in lattice.L = {} of {}", L, size_list(config.sizes), config.file));
    return {config, L, config.temperatures.at(L), config.thermalize_sweeps.at(L), config.run_sweeps.at(L)};
}

std::vector<double> RelaxSection::temperature_factors() const {
    if (schedule == RelaxSchedule::constant || schedule == RelaxSchedule::steps) return factors;
    const double factor = factors.front();
    std::vector<double> ladder =
        make_ladder(std::min(factor, 1.0), std::max(factor, 1.0), stages + 1,
                    schedule == RelaxSchedule::linear ? Spacing::linear : Spacing::geometric);
    if (factor > 1.0) std::reverse(ladder.begin(), ladder.end());
    ladder.pop_back();
    return ladder;
}

}  // namespace psflip
