#include "measure/stored_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "base/large_array.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

/// The first of the axes whose sums are stored together with this one; the sum itself where it stands alone.
Sum first_axis(Sum sum) {
    for (const AxesSum& axes : axes_sums)
        if (sum >= axes.first && sum <= last_axis(axes)) return axes.first;
    return sum;
}

std::string in_blocks(const char* name) {
    return std::string(schema::blocks_group) + "/" + name;
}

}  // namespace

std::string stored_name(Sum sum) {
    const Sum first = first_axis(sum);
    for (const AxesSum& axes : axes_sums)
        if (axes.first == first) return in_blocks(axes.name);
    return in_blocks(info(sum).name);
}

bool is_stored(Sum sum) {
    return first_axis(sum) == sum;
}

std::vector<double> stored_reals(const Accumulators& accumulators, Sum sum, ThreadPool& pool) {
    const std::vector<double>* first = &accumulators.reals[static_cast<int>(sum)];
    int axes = 1;
    for (const AxesSum& several : axes_sums)
        if (several.first == sum) axes = accumulators.measured.dimension;
    auto values = large_zeros<double>(first->size(), pool);
    share_out(pool, std::ssize(values), [&](std::int64_t begin, std::int64_t end) {
        std::copy(first->begin() + begin, first->begin() + end, values.begin() + begin);
        for (int axis = 1; axis < axes; ++axis)
            for (std::int64_t i = begin; i < end; ++i) values[i] += first[axis][i];
    });
    if (!info(sum).dense) return values;
    share_out(pool, std::ssize(values), [&](std::int64_t begin, std::int64_t end) {
        std::transform(values.begin() + begin, values.begin() + end, values.begin() + begin,
                       with_stored_bits);
    });
    return values;
}

double with_stored_bits(double value) {
    constexpr int dropped = std::numeric_limits<double>::digits - stored_bits;
    constexpr std::uint64_t unit = std::uint64_t{1} << dropped;
    // a carry out of the digits goes into the exponent, which is right
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + unit / 2) & ~(unit - 1));
}

}  // namespace psflip
