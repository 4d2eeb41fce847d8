#include "config/resolved.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/keys.hpp"
#include "config/value.hpp"

namespace psflip {
namespace {

std::string text_of(std::uint64_t value) {
    return fmt::format("{}", value);
}
std::string text_of(std::int64_t value) {
    return fmt::format("{}", value);
}
std::string text_of(int value) {
    return fmt::format("{}", value);
}
std::string text_of(double value) {
    return real_text(value);
}
std::string text_of(const std::vector<int>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}
std::string text_of(const std::vector<std::int64_t>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}
std::string text_of(const std::vector<double>& values) {
    std::string text;
    for (double value : values) text += (text.empty() ? "" : ", ") + real_text(value);
    return "[" + text + "]";
}
/// A ladder of temperatures.
std::string text_of_size(const std::vector<double>& values) {
    return "{list: " + text_of(values) + "}";
}
std::string text_of_size(std::int64_t value) {
    return text_of(value);
}

/// One value where all sizes agree, else a map per size.
template <class T>
std::string text_of(const std::map<int, T>& values) {
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](const auto& entry) { return entry.second == values.begin()->second; });
    if (same && !values.empty()) return text_of_size(values.begin()->second);
    std::string text;
    for (const auto& [L, value] : values)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", L, text_of_size(value));
    return "{" + text + "}";
}

std::string text_of_field(Config& config, const Key& key) {
    return std::visit(
        [&](const auto& field) -> std::string {
            using Field = std::decay_t<decltype(field)>;
            if constexpr (std::is_same_v<Field, std::monostate>)
                return {};
            else if constexpr (std::is_same_v<Field, KeyChoice>)
                return field.text(config);
            else
                return text_of(field(config));
        },
        key.field);
}

bool is_omitted(Config& config, const Key& key) {
    return key.omits_default && text_of_field(config, key) == key.default_value;
}

}  // namespace

std::string resolved_yaml(Config config) {
    std::string yaml, section;
    for (const Key& key : config_keys()) {
        if (std::holds_alternative<std::monostate>(key.field)) continue;
        if (is_omitted(config, key)) continue;
        const std::size_t dot = key.path.find('.');
        const std::string own = dot == std::string::npos ? "" : key.path.substr(0, dot);
        if (own != section && !own.empty()) yaml += own + ":\n";
        section = own;
        const std::string name = own.empty() ? key.path : "  " + key.path.substr(dot + 1);
        yaml += fmt::format("{}: {}\n", name, text_of_field(config, key));
    }
    return yaml;
}

std::uint64_t fnv1a64(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

std::string Parameters::model_yaml() const {
    Config config;
    static_cast<StudySections&>(config) = *this;
    std::string text;
    for (const Key& key : config_keys()) {
        if (!key.path.starts_with("model.") || is_omitted(config, key)) continue;
        if (key.path == "model.p_ferro" && (model.has_vectors() || model.gaussian())) continue;
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", key_name(key.path), text_of_field(config, key));
    }
    return "{" + text + "}";
}

std::string Parameters::physics_yaml() const {
    std::string ladder;
    for (double temperature : temperatures) ladder += (ladder.empty() ? "" : ", ") + real_text(temperature);
    const DynamicsSection& d = dynamics;
    std::string last;
    if (d.update != Update::metropolis) last += fmt::format("update: {}\n", name(d.update));
    if (d.update == Update::demon) last += fmt::format("demon_sites: {}\n", d.demon_sites);
    if (d.update == Update::wolff) last += fmt::format("wolff_clusters: {}\n", d.wolff_clusters);
    if (d.houdayer_every > 0)
        last += fmt::format("houdayer_every: {}\nhoudayer_below: {}\n", d.houdayer_every,
                            real_text(d.houdayer_below));
    if (multispin.lanes != Lanes::realizations) last += fmt::format("lanes: {}\n", name(multispin.lanes));
    if (d.tile != 0) last += fmt::format("tile: {}\nhits: {}\n", d.tile, d.hits);
    if (d.tile_order != TileOrder::fixed) last += fmt::format("tile_order: {}\n", name(d.tile_order));
    if (model.has_vectors() || model.gaussian()) last += fmt::format("precision: {}\n", name(d.precision));
    if (d.over_relaxation > 0) last += fmt::format("over_relaxation: {}\n", d.over_relaxation);
    return fmt::format(
        "seed: {}\nmodel: {}\nL: {}\n"
        "temperatures: [{}]\nreplicas: {}\nshare: {}\nsweeps_per_swap: {}\n{}",
        seed, model_yaml(), L, ladder, replicas, multispin.share, d.sweeps_per_swap, last);
}

}  // namespace psflip
