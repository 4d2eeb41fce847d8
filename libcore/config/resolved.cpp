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
std::string text_of(const std::string& value) {
    return value;
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

std::string text_of_field(const Config& config, const Key& key) {
    return std::visit(
        [&](auto field) -> std::string {
            if constexpr (std::is_same_v<decltype(field), std::monostate>)
                return {};
            else
                return text_of(config.*field);
        },
        key.field);
}

}  // namespace

std::string resolved_yaml(const Config& config) {
    std::string yaml, section;
    for (const Key& key : config_keys()) {
        if (std::holds_alternative<std::monostate>(key.field)) continue;
        if (key.omits_default && text_of_field(config, key) == key.default_value) continue;
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

namespace {

/// What the model of vector spins has that is not its default.
std::string vector_model_text(const VectorParameters& v) {
    const VectorParameters plain;
    std::string text;
    const auto add = [&text](const char* name, const auto& value, const auto& default_value) {
        if (value != default_value) text += fmt::format(", {}: {}", name, text_of(value));
    };
    add("exchange", v.exchange, plain.exchange);
    add("dm_pattern", v.dm_pattern, plain.dm_pattern);
    add("dm", v.dm, plain.dm);
    add("dm_axis", v.dm_axis, plain.dm_axis);
    add("anisotropy", v.anisotropy, plain.anisotropy);
    add("moments", v.moments, plain.moments);
    add("concentration", v.concentration, plain.concentration);
    return text;
}

}  // namespace

std::string Parameters::model_yaml() const {
    std::string later;
    if (p_absent != 0.0) later += fmt::format(", p_absent: {}", real_text(p_absent));
    if (boundary != "periodic") later += fmt::format(", boundary: {}", boundary);
    std::string rest = fmt::format(", p_ferro: {}{}", real_text(p_ferro), later);
    if (has_vectors()) rest = later + vector_model_text(vectors);
    if (gaussian()) rest = ", couplings: gaussian";
    return fmt::format("{{kind: {}, dimension: {}, field: {}{}}}", model_kind, dimension, real_text(field),
                       rest);
}

std::string Parameters::physics_yaml() const {
    std::string ladder;
    for (double temperature : temperatures) ladder += (ladder.empty() ? "" : ", ") + real_text(temperature);
    std::string last = update == "metropolis" ? "" : fmt::format("update: {}\n", update);
    if (lanes != "realizations") last += fmt::format("lanes: {}\n", lanes);
    if (tile != 0) last += fmt::format("tile: {}\nhits: {}\n", tile, hits);
    if (has_vectors() || gaussian()) last += fmt::format("precision: {}\n", vectors.precision);
    if (vectors.over_relaxation > 0) last += fmt::format("over_relaxation: {}\n", vectors.over_relaxation);
    return fmt::format(
        "seed: {}\nmodel: {}\nL: {}\n"
        "temperatures: [{}]\nreplicas: {}\nshare: {}\nsweeps_per_swap: {}\n{}",
        seed, model_yaml(), L, ladder, replicas, share, sweeps_per_swap, last);
}

}  // namespace psflip
