#include "measure/stored_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/large_array.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

/// Calls task with the rows of the sums that a run file holds added up with this one, in the order of the
/// axes.
template <class Task>
void for_each_axis(const SumInfo& sum, int dimension, const Task& task) {
    if (sum.of_axes == nullptr) return task(sum);
    for (int axis = 0; axis < dimension; ++axis)
        for (const SumInfo& other : sum_table)
            if (other.of_axes != nullptr && std::string_view(other.of_axes) == sum.of_axes &&
                other.axis == axis)
                task(other);
}

}  // namespace

std::string stored_name(Sum sum) {
    const char* axes = info(sum).of_axes;
    return std::string(schema::blocks_group) + "/" + (axes != nullptr ? axes : info(sum).name);
}

bool is_stored(Sum sum) {
    return info(sum).axis == 0;
}

std::vector<double> stored_reals(const Accumulators& accumulators, Sum sum, ThreadPool& pool) {
    auto values = large_zeros<double>(accumulators.reals[static_cast<int>(sum)].size(), pool);
    for_each_axis(info(sum), accumulators.measured.dimension, [&](const SumInfo& added) {
        const std::vector<double>& one = accumulators.reals[static_cast<int>(added.sum)];
        share_out(pool, std::ssize(values), [&](std::int64_t begin, std::int64_t end) {
            if (added.axis == 0)
                std::copy(one.begin() + begin, one.begin() + end, values.begin() + begin);
            else
                for (std::int64_t i = begin; i < end; ++i) values[i] += one[i];
        });
    });
    if (!info(sum).values.dense) return values;
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
