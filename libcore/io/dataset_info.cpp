#include "io/dataset_info.hpp"

#include <algorithm>
#include <stdexcept>

namespace psflip {

std::optional<DatasetInfo> find_row(std::span<const DatasetRow> rows, const std::string& name) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const DatasetRow& r) { return r.name == name; });
    if (row == rows.end()) return {};
    return DatasetInfo{row->unit, row->doc, row->axes};
}

DatasetInfo row_named(std::span<const DatasetRow> rows, const std::string& name) {
    if (auto found = find_row(rows, name)) return *std::move(found);
    throw_unknown_dataset(name);
}

void throw_unknown_dataset(const std::string& name) {
    throw std::logic_error("no table has unit, doc and axes of the dataset " + name);
}

}  // namespace psflip
