#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/dataset_info.hpp"

namespace psflip {

/// Unit, sentence and axes of the datasets prefix + name + suffix, name that of any quantity of a table. In
/// unit and doc {name}, {unit} and {doc} stand for what the table has, {square} for the square of its unit.
struct DatasetRule {
    const char *prefix, *suffix, *unit, *doc, *axes;
};

/// What the rules need to know of a row of a table.
struct Quantity {
    const char *name, *unit, *doc;
};

/// Finds the rule that makes the dataset of this quantity.
std::optional<DatasetInfo> find_by_rules(std::span<const DatasetRule> rules, const Quantity& quantity,
                                         const std::string& dataset);

/// Finds the rule and the row of a table that make the dataset.
template <class Table>
std::optional<DatasetInfo> find_in_table(std::span<const DatasetRule> rules, const Table& table,
                                         const std::string& dataset) {
    for (const auto& row : table)
        if (auto found = find_by_rules(rules, {row.name, row.unit, row.doc}, dataset)) return found;
    return {};
}

}  // namespace psflip
