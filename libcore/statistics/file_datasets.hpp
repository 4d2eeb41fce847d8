#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/dataset_info.hpp"

namespace psflip {

/// Return the attributes of datasets of observables files and of reduced files. Each function is a
/// DatasetTable. Errors: std::logic_error for an unknown name.
DatasetInfo observables_dataset(const std::string& name);
DatasetInfo reduced_dataset(const std::string& name);

/// Describes the datasets prefix + name + suffix of a quantity. In `unit` and `doc`, {name}, {unit} and {doc}
/// stand for the name, unit and text of the quantity, {square} for the square of its unit.
struct DatasetRule {
    const char *prefix, *suffix, *unit, *doc, *axes;
};

/// Returns the attributes by the first rule that makes `dataset` from the quantity, or nothing.
std::optional<DatasetInfo> find_by_rules(std::span<const DatasetRule> rules, const std::string& name,
                                         const std::string& unit, const std::string& doc,
                                         const std::string& dataset);

}  // namespace psflip
