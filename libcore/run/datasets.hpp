#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/file.hpp"

namespace psflip {

using Extents = std::vector<std::int64_t>;

inline std::int64_t elements(const Extents& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// Reads a dataset that must have these extents (nothing where it has no elements); InputError otherwise.
template <class T>
std::vector<T> read_with_extents(const InputFile& file, const std::string& name, const Extents& wanted) {
    if (elements(wanted) == 0) return {};
    Array<T> array = file.read<T>(name);
    if (array.shape != wanted)
        throw InputError(fmt::format("{}: {} has the shape ({}), but this batch needs ({})", file.path(),
                                     name, fmt::join(array.shape, ", "), fmt::join(wanted, ", ")));
    return std::move(array.data);
}

}  // namespace psflip
