#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/dataset_info.hpp"
#include "statistics/quantity.hpp"

namespace psflip {

/// Unit, sentence and axes of the datasets prefix + name + suffix, name that of any quantity of a table. In
/// unit and doc {name}, {unit} and {doc} stand for what the table has, {square} for the square of its unit.
struct DatasetRule {
    const char *prefix, *suffix, *unit, *doc, *axes;
};

/// By the rule that fits; nothing where none does.
std::optional<DatasetInfo> find_by_rules(std::span<const DatasetRule> rules, std::span<const Quantity> table,
                                         const std::string& dataset);

}  // namespace psflip
