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

/// Returns the attributes for a dataset of one kind of file by its path. Errors: std::logic_error for an
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

/// Adapts a row, written for three dimensions, to two: 3N becomes 2N, averages are over two axes, and there
/// is no axis z.
DatasetInfo in_dimensions(DatasetInfo info, int dimension);

/// Errors: std::logic_error, always.
[[noreturn]] void throw_unknown_dataset(const std::string& name);

}  // namespace psflip
