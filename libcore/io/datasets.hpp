#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "io/file.hpp"

namespace psflip {

using Extents = std::vector<std::int64_t>;

/// Reads a dataset that must have these extents; InputError otherwise. Datasets without elements are not
/// looked for: files leave them out.
template <class T>
std::vector<T> read_with_extents(const InputFile& file, const std::string& dataset, const Extents& extents) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return {};
    file.require_shape(dataset, extents);
    return file.read<T>(dataset).data;
}

}  // namespace psflip
