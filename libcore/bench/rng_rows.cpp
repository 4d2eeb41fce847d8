#include "bench/rng_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/version.hpp"
#include "io/provenance.hpp"

namespace psflip {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

std::string json_of(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) >= ' ') out += c;
    }
    out += '"';
    return out;
}

std::string json_of(double number) {
    return std::isfinite(number) ? fmt::format("{:.12g}", number) : "null";
}

}  // namespace

RngRow& RngRow::add(const std::string& name, double number) {
    values_.push_back({name, json_of(number), {}, number});
    return *this;
}

RngRow& RngRow::add(const std::string& name, const std::string& text) {
    values_.push_back({name, json_of(text), text, no_number});
    return *this;
}

RngRow& RngRow::add(const std::string& name, const std::vector<double>& numbers) {
    std::vector<std::string> texts;
    for (const double number : numbers) texts.push_back(json_of(number));
    values_.push_back({name, fmt::format("[{}]", fmt::join(texts, ", ")), {}, no_number});
    return *this;
}

double RngRow::number(const std::string& name) const {
    const auto found = std::ranges::find(values_, name, &Value::name);
    return found == values_.end() ? no_number : found->number;
}

std::string RngRow::text(const std::string& name) const {
    const auto found = std::ranges::find(values_, name, &Value::name);
    return found == values_.end() ? std::string{} : found->text;
}

std::string RngRow::json() const {
    std::vector<std::string> texts;
    for (const Value& value : values_) texts.push_back(json_of(value.name) + ": " + value.json);
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

RngRow glass_row(const std::string& series, const GlassSetup& setup, const std::string& device) {
    RngRow row(series);
    row.add("generator", setup.generator)
        .add("device", device)
        .add("L", setup.L)
        .add("beta", setup.beta)
        .add("words", setup.words)
        .add("replicas", setup.replicas)
        .add("streams", setup.layout.streams)
        .add("width", setup.layout.width)
        .add("seed", setup.seed);
    return row;
}

std::string rng_json(const std::vector<RngRow>& rows) {
    std::vector<std::string> lines;
    for (RngRow row : rows) {
        row.add("commit", git_commit()).add("date", utc_now());
        lines.push_back(row.json());
    }
    return fmt::format("[\n  {}\n]\n", fmt::join(lines, ",\n  "));
}

}  // namespace psflip
