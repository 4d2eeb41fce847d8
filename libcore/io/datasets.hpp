#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/file.hpp"

namespace psflip {

using Extents = std::vector<std::int64_t>;

/// The index of element number `at` of a row-major array.
std::vector<std::int64_t> index_of(std::int64_t at, const Extents& extents);

/// Calls f(box, number of its first element) for boxes that cover an array of three axes or more in the order
/// of its elements, each of at most `most` elements, or one plane of the last two axes.
void for_each_box(const Extents& extents, std::int64_t most,
                  const std::function<void(const Box&, std::int64_t)>& f);

/// The same, but planes of more than `most` elements in rows, whole chunks of a dataset of psflip's with
/// elements of this size, which all threads write.
void for_each_piece(const Extents& extents, std::size_t element_bytes, std::int64_t most,
                    const std::function<void(const Box&, std::int64_t)>& f);

/// The box in row number `row` of an array with one more leading axis.
Box in_row(std::int64_t row, Box box);

/// Values that a dataset may hold.
template <class T>
struct Range {
    T low, high;
    bool nan = false;  ///< no number stands for "there is none"
    Range times(T factor) const { return {low * factor, high * factor, nan}; }
};

/// Reads a dataset that must have these extents; InputError otherwise. Datasets without elements are not
/// looked for: files leave them out.
template <class T>
std::vector<T> read_with_extents(const InputFile& file, const std::string& dataset, const Extents& extents) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return {};
    file.require_shape(dataset, extents);
    return file.read<T>(dataset).data;
}

/// InputError that names file, dataset, index and range unless all `values` lie in `range`. They are the
/// elements from number `first` on of the dataset of these extents. T: the integer types of files and double.
template <class T>
void check_range(const InputFile& file, const std::string& dataset, const Extents& extents,
                 std::span<const T> values, const Range<T>& range, std::int64_t first = 0);

/// Reads a dataset that must have these extents and hold no value outside of `range`; InputError otherwise.
template <class T>
std::vector<T> read_in_range(const InputFile& file, const std::string& dataset, const Extents& extents,
                             const Range<T>& range) {
    std::vector<T> values = read_with_extents<T>(file, dataset, extents);
    check_range<T>(file, dataset, extents, values, range);
    return values;
}

/// Reads (n) int64 or double, each larger than the one before and all in `range`; InputError otherwise.
template <class T>
std::vector<T> read_ascending(const InputFile& file, const std::string& dataset, const Range<T>& range);

}  // namespace psflip
