#pragma once

// Writes results of benchmark programs as JSON and CSV.

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace psflip {

/// Holds one result of a benchmark program: named values in a fixed order. The first value is named `series`.
class BenchRow {
  public:
    explicit BenchRow(const std::string& series) { add("series", series); }
    /// Adds a number. A number that is not finite becomes null in files.
    BenchRow& add(const std::string& name, double number);
    BenchRow& add(const std::string& name, const std::string& text);
    BenchRow& add(const std::string& name, const std::vector<double>& numbers);
    template <std::integral Whole>
    BenchRow& add(const std::string& name, Whole whole) {
        if constexpr (std::same_as<Whole, bool>)
            values_.push_back({name, whole ? "true" : "false", {}, static_cast<double>(whole)});
        else
            values_.push_back({name, std::to_string(whole), {}, static_cast<double>(whole)});
        return *this;
    }

    /// Return the number, or the text, of this name. If the row lacks the name, they return NaN or an empty
    /// text.
    double number(const std::string& name) const;
    std::string text(const std::string& name) const;

    /// Returns the row as one line of JSON.
    std::string json() const;
    /// Return the names, or the values, as one line of CSV. Texts with commas are quoted.
    std::string csv_names() const;
    std::string csv_values() const;

  private:
    struct Value {
        std::string name, json, text;
        double number;
    };
    std::vector<Value> values_;
};

/// Return the rows as a JSON list of objects, one per line, or as CSV with a header. Each row gets the commit
/// of this program and the date.
std::string rows_json(std::vector<BenchRow> rows);
std::string rows_csv(std::vector<BenchRow> rows);

}  // namespace psflip
