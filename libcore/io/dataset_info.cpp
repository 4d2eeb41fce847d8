#include "io/dataset_info.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

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

DatasetInfo in_dimensions(DatasetInfo info, int dimension) {
    if (dimension == 3) return info;
    const auto replace = [](std::string& text, std::string_view from, std::string_view to) {
        for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    };
    replace(info.doc, "3N", "2N");
    replace(info.doc, "three axes", "two axes");
    replace(info.axes, " z, y, x", " y, x");
    return info;
}

void throw_unknown_dataset(const std::string& name) {
    throw std::logic_error("no table has unit, doc and axes of the dataset " + name);
}

}  // namespace psflip
