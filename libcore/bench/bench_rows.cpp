#include "bench/bench_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/version.hpp"
#include "io/provenance.hpp"

namespace psflip {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

std::string quoted(const std::string& text, const char* special, char escape) {
    std::string out = "\"";
    for (const char c : text) {
        if (std::string(special).find(c) != std::string::npos) out += escape;
        if (static_cast<unsigned char>(c) >= ' ') out += c;
    }
    return out + '"';
}

std::string json_of(const std::string& text) {
    return quoted(text, "\"\\", '\\');
}

std::string json_of(double number) {
    return std::isfinite(number) ? fmt::format("{:.12g}", number) : "null";
}

BenchRow& with_origin(BenchRow& row) {
    return row.add("commit", git_commit()).add("date", utc_now());
}

}  // namespace

BenchRow& BenchRow::add(const std::string& name, double number) {
    values_.push_back({name, json_of(number), {}, number});
    return *this;
}

BenchRow& BenchRow::add(const std::string& name, const std::string& text) {
    values_.push_back({name, json_of(text), text, no_number});
    return *this;
}

BenchRow& BenchRow::add(const std::string& name, const std::vector<double>& numbers) {
    std::vector<std::string> texts;
    for (const double number : numbers) texts.push_back(json_of(number));
    values_.push_back({name, fmt::format("[{}]", fmt::join(texts, ", ")), {}, no_number});
    return *this;
}

double BenchRow::number(const std::string& name) const {
    const auto found = std::ranges::find(values_, name, &Value::name);
    return found == values_.end() ? no_number : found->number;
}

std::string BenchRow::text(const std::string& name) const {
    const auto found = std::ranges::find(values_, name, &Value::name);
    return found == values_.end() ? std::string{} : found->text;
}

std::string BenchRow::json() const {
    std::vector<std::string> texts;
    for (const Value& value : values_) texts.push_back(json_of(value.name) + ": " + value.json);
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

std::string BenchRow::csv_names() const {
    std::string line;
    for (const Value& value : values_) line += (line.empty() ? "" : ",") + value.name;
    return line + '\n';
}

std::string BenchRow::csv_values() const {
    std::string line;
    for (const Value& value : values_) {
        const bool is_text = value.json.starts_with('"');
        const std::string& plain = is_text ? value.text : value.json;
        if (&value != &values_.front()) line += ',';
        line += plain.find_first_of(",\"") == std::string::npos ? plain : quoted(plain, "\"", '"');
    }
    return line + '\n';
}

std::string rows_json(std::vector<BenchRow> rows) {
    std::vector<std::string> lines;
    for (BenchRow& row : rows) lines.push_back(with_origin(row).json());
    return fmt::format("[\n  {}\n]\n", fmt::join(lines, ",\n  "));
}

std::string rows_csv(std::vector<BenchRow> rows) {
    std::string text;
    for (BenchRow& row : rows) {
        with_origin(row);
        if (text.empty()) text = row.csv_names();
        text += row.csv_values();
    }
    return text;
}

}  // namespace psflip
