#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/stateful/glass.hpp"

namespace psflip {

/// One result of bench-rng: named values in the order in which they were added. The first is series.
class RngRow {
  public:
    explicit RngRow(const std::string& series) { add("series", series); }
    /// A number that is not finite is null in files.
    RngRow& add(const std::string& name, double number);
    RngRow& add(const std::string& name, const std::string& text);
    RngRow& add(const std::string& name, const std::vector<double>& numbers);
    template <std::integral Whole>
    RngRow& add(const std::string& name, Whole whole) {
        values_.push_back({name, std::to_string(whole), {}, static_cast<double>(whole)});
        return *this;
    }

    /// A number, NaN where there is none of this name; a text, empty where there is none.
    double number(const std::string& name) const;
    std::string text(const std::string& name) const;

    /// One line of JSON.
    std::string json() const;

  private:
    struct Value {
        std::string name, json, text;
        double number;
    };
    std::vector<Value> values_;
};

/// Begun with what a glass was made of.
RngRow glass_row(const std::string& series, const GlassSetup& setup, const std::string& device);

/// The rows as a JSON list of objects, one per line; commit and date of this program are added to each.
std::string rng_json(const std::vector<RngRow>& rows);

}  // namespace psflip
