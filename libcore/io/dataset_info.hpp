#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace psflip {

/// Holds the attributes `unit`, `doc` and `axes` of a dataset. `doc` is a sentence; `axes` has the names of
/// the axes in order, separated by ", ".
struct DatasetInfo {
    std::string unit, doc, axes;
};

/// Maps the path of a dataset to its attributes, for files of one kind. Errors: std::logic_error for an
/// unknown path.
using DatasetTable = std::function<DatasetInfo(const std::string& dataset)>;

/// Holds a row of a table of datasets. The texts must outlive the row.
struct DatasetRow {
    const char *name, *unit, *doc, *axes;
};

/// Returns the row of this name, or nothing.
std::optional<DatasetInfo> find_row(std::span<const DatasetRow> rows, const std::string& name);
/// Returns the row of this name. Errors: std::logic_error for an unknown name.
DatasetInfo row_named(std::span<const DatasetRow> rows, const std::string& name);

/// Adapts texts that are written for three dimensions. If `dimension` is 2, 3N becomes 2N, averages are over
/// two axes, and the axis z is left out.
DatasetInfo in_dimensions(DatasetInfo info, int dimension);

/// Throws std::logic_error that names the dataset.
[[noreturn]] void throw_unknown_dataset(const std::string& name);

}  // namespace psflip
