#pragma once

// Describes datasets of observables and reduced files: unit, text and axes.

#include <optional>
#include <span>
#include <string>

#include "io/dataset_info.hpp"

namespace psflip {

/// Return the description of a dataset of observables files or of reduced files. Each function is a
/// DatasetTable.
DatasetInfo observables_dataset(const std::string& name);
DatasetInfo reduced_dataset(const std::string& name);

/// Describes the datasets prefix + name + suffix of a quantity: unit, sentence and axes. In `unit` and `doc`,
/// {name}, {unit} and {doc} stand for the name, unit and text of the quantity, and {square} for its squared
/// unit.
struct DatasetRule {
    const char *prefix, *suffix, *unit, *doc, *axes;
};

/// Returns the description of `dataset` by the rule that makes this name from the name of the quantity.
/// Returns nothing if no rule does. `name`, `unit` and `doc` describe the quantity.
std::optional<DatasetInfo> find_by_rules(std::span<const DatasetRule> rules, const std::string& name,
                                         const std::string& unit, const std::string& doc,
                                         const std::string& dataset);

}  // namespace psflip
