#include "io/datasets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

#include "base/error.hpp"
#include "io/chunk_extents.hpp"

namespace psflip {

std::vector<std::int64_t> index_of(std::int64_t at, const Extents& extents) {
    std::vector<std::int64_t> index(extents.size());
    for (std::size_t axis = extents.size(); axis-- > 0; at /= extents[axis]) index[axis] = at % extents[axis];
    return index;
}

void for_each_box(const Extents& extents, std::int64_t most,
                  const std::function<void(const Box&, std::int64_t)>& f) {
    std::size_t axis = extents.size() - 3;  // the axis that is cut; boxes have one element along earlier axes
    std::int64_t inner = extents[axis + 1] * extents[axis + 2];
    for (; axis > 0 && inner * extents[axis] <= most; --axis) inner *= extents[axis];
    const Extents leading(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(axis));
    const std::int64_t step = std::max<std::int64_t>(1, most / inner),
                       outer = std::accumulate(leading.begin(), leading.end(), std::int64_t{1},
                                               std::multiplies<>());
    for (std::int64_t number = 0; number < outer; ++number) {
        Box box{index_of(number, leading), Extents(axis, 1)};
        box.first.resize(extents.size(), 0);
        box.count.insert(box.count.end(), extents.begin() + static_cast<std::ptrdiff_t>(axis), extents.end());
        for (std::int64_t first = 0; first < extents[axis]; first += step) {
            box.first[axis] = first;
            box.count[axis] = std::min(step, extents[axis] - first);
            f(box, (number * extents[axis] + first) * inner);
        }
    }
}

void for_each_piece(const Extents& extents, std::size_t element_bytes, std::int64_t most,
                    const std::function<void(const Box&, std::int64_t)>& f) {
    const std::int64_t length = extents.back(), height = extents[extents.size() - 2];
    if (height * length <= most) return for_each_box(extents, most, f);
    const std::int64_t chunk = chunk_extents(extents, element_bytes)[extents.size() - 2];
    const std::int64_t rows = std::max<std::int64_t>(1, most / (chunk * length)) * chunk;
    const Extents planes(extents.begin(), extents.end() - 2);
    const std::int64_t n =
        std::accumulate(planes.begin(), planes.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t plane = 0; plane < n; ++plane)
        for (std::int64_t y = 0; y < height; y += rows) {
            Box box{index_of(plane, planes), Extents(planes.size(), 1)};
            box.first.insert(box.first.end(), {y, 0});
            box.count.insert(box.count.end(), {std::min(rows, height - y), length});
            f(box, (plane * height + y) * length);
        }
}

Box in_row(std::int64_t row, Box box) {
    box.first.insert(box.first.begin(), row);
    box.count.insert(box.count.begin(), 1);
    return box;
}

template <class T>
void check_range(const InputFile& file, const std::string& dataset, const Extents& extents,
                 std::span<const T> values, const Range<T>& range, std::int64_t first) {
    const auto possible = [&range](T value) {
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(value)) return range.nan;
        return value >= range.low && value <= range.high;
    };
    const auto wrong = std::find_if_not(values.begin(), values.end(), possible);
    if (wrong == values.end()) return;
    const auto text = [](T value) {
        return std::is_floating_point_v<T> ? fmt::format("{:.6g}", static_cast<double>(value))
                                           : fmt::format("{}", value);
    };
    throw InputError(fmt::format(
        "{}: dataset {} holds {} at [{}], which is impossible: it must lie in {} to {}", file.path(), dataset,
        *wrong, fmt::join(index_of(first + (wrong - values.begin()), extents), ", "), text(range.low),
        text(range.high)));
}

template <class T>
std::vector<T> read_ascending(const InputFile& file, const std::string& dataset, const Range<T>& range) {
    file.require_shape(dataset, {-1});
    const Array<T> read = file.read<T>(dataset);
    check_range<T>(file, dataset, read.shape, read.data, range);
    const auto fall = std::adjacent_find(read.data.begin(), read.data.end(), std::greater_equal<>());
    if (fall != read.data.end())
        throw InputError(fmt::format("{}: dataset {} holds {} and then {}, but it must rise", file.path(),
                                     dataset, fall[0], fall[1]));
    return read.data;
}

#define PSFLIP_CHECK_RANGE(T)                                                                              \
    template void check_range<T>(const InputFile&, const std::string&, const Extents&, std::span<const T>, \
                                 const Range<T>&, std::int64_t);
template std::vector<std::int64_t> read_ascending(const InputFile&, const std::string&,
                                                  const Range<std::int64_t>&);
template std::vector<double> read_ascending(const InputFile&, const std::string&, const Range<double>&);
PSFLIP_CHECK_RANGE(std::uint8_t)
PSFLIP_CHECK_RANGE(std::int64_t)
PSFLIP_CHECK_RANGE(std::uint32_t)
PSFLIP_CHECK_RANGE(double)
#undef PSFLIP_CHECK_RANGE

}  // namespace psflip
