// Reads datasets with checks of their shape and values, and cuts large arrays into boxes.
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

/// Returns the index along each axis of the element at position `at` of a row-major array.
std::vector<std::int64_t> index_of(std::int64_t at, const Extents& extents);

/// Cuts a row-major array of at least three axes into boxes. Calls f(box, position of the first element of
/// the box) for each box, in the order of the elements. A box has at most `most` elements, but at least one
/// plane of the last two axes.
void for_each_box(const Extents& extents, std::int64_t most,
                  const std::function<void(const Box&, std::int64_t)>& f);

/// Calls f as for_each_box does, but cuts planes of more than `most` elements into groups of rows. A group of
/// rows consists of whole chunks (chunk_extents), so that all threads can write it.
void for_each_piece(const Extents& extents, std::size_t element_bytes, std::int64_t most,
                    const std::function<void(const Box&, std::int64_t)>& f);

/// Adds a leading axis to `box`. The new box lies in row `row` of this axis.
Box in_row(std::int64_t row, Box box);

/// Holds the allowed values of a dataset, low and high included.
template <class T>
struct Range {
    T low, high;
    bool nan = false;  ///< whether NaN is allowed and means "none"
    Range times(T factor) const { return {low * factor, high * factor, nan}; }
};

/// Reads a dataset with these extents. Datasets without elements are absent from files and read as empty.
/// Errors: InputError for other extents.
template <class T>
std::vector<T> read_with_extents(const InputFile& file, const std::string& dataset, const Extents& extents) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return {};
    file.require_shape(dataset, extents);
    return file.read<T>(dataset).data;
}

/// Checks that all `values` lie in `range`. The values are the elements of the dataset from position `first`
/// on. T is an integer type of files or double. Errors: InputError with file, dataset, index and range.
template <class T>
void check_range(const InputFile& file, const std::string& dataset, const Extents& extents,
                 std::span<const T> values, const Range<T>& range, std::int64_t first = 0);

/// Reads a dataset with these extents and checks its values. Errors: InputError for other extents or a value
/// outside `range`.
template <class T>
std::vector<T> read_in_range(const InputFile& file, const std::string& dataset, const Extents& extents,
                             const Range<T>& range) {
    std::vector<T> values = read_with_extents<T>(file, dataset, extents);
    check_range<T>(file, dataset, extents, values, range);
    return values;
}

/// Reads (n) int64 or double values. Errors: InputError unless they are strictly ascending and in `range`.
template <class T>
std::vector<T> read_ascending(const InputFile& file, const std::string& dataset, const Range<T>& range);

}  // namespace psflip
