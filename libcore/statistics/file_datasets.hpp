#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/dataset_info.hpp"

namespace psflip {

/// The datasets of observables files and of reduced files; each a DatasetTable.
DatasetInfo observables_dataset(const std::string& name);
DatasetInfo reduced_dataset(const std::string& name);

/// Unit, sentence and axes of the datasets prefix + name + suffix of a quantity. In `unit` and `doc` {name},
/// {unit} and {doc} stand for the name, unit and text of the quantity, {square} for the square of its unit.
struct DatasetRule {
    const char *prefix, *suffix, *unit, *doc, *axes;
};

/// Returns what the rule says that makes `dataset` from the quantity, if there is one.
std::optional<DatasetInfo> find_by_rules(std::span<const DatasetRule> rules, const std::string& name,
                                         const std::string& unit, const std::string& doc,
                                         const std::string& dataset);

}  // namespace psflip
