#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace psflip {

/// The attributes `unit`, `doc` and `axes` of a dataset: doc is a sentence, axes the names of its axes in
/// order, separated by ", ".
struct DatasetInfo {
    std::string unit, doc, axes;
};

/// Tells them for every dataset of a kind of file, by its name from the root on; std::logic_error for a name
/// that it does not know.
using DatasetTable = std::function<DatasetInfo(const std::string& dataset)>;

/// A row of a table of datasets.
struct DatasetRow {
    const char *name, *unit, *doc, *axes;
};

/// Nothing where no row has that name.
std::optional<DatasetInfo> find_row(std::span<const DatasetRow> rows, const std::string& name);
/// std::logic_error instead.
DatasetInfo row_named(std::span<const DatasetRow> rows, const std::string& name);

/// The tables' words are those of three dimensions. In two, 3N becomes 2N, an average is over two axes, and
/// lattices have no axis z.
DatasetInfo in_dimensions(DatasetInfo info, int dimension);

[[noreturn]] void throw_unknown_dataset(const std::string& name);

}  // namespace psflip
