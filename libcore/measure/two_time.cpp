#include "measure/two_time.hpp"

#include <algorithm>

#include "random/purposes.hpp"
#include "word/bit_counter.hpp"

namespace psflip {
namespace {

using DifferenceCounter = BitCounter<std::uint64_t, planes_for(max_sites)>;

/// In how many of `sites` words each bit differs.
DifferenceCounter count_differences(const std::uint64_t* before, const std::uint64_t* now,
                                    std::int64_t sites) {
    DifferenceCounter counter;
    counter.clear();
    constexpr int together = 8;
    for (std::int64_t site = 0; site < sites; site += together) {
        std::uint64_t differ[together]{};
        const auto here = static_cast<int>(std::min<std::int64_t>(together, sites - site));
        for (int i = 0; i < here; ++i) differ[i] = before[site + i] ^ now[site + i];
        counter.add(differ);
    }
    return counter;
}

std::int64_t number_of(const DifferenceCounter& counter, int bit) {
    std::int64_t number = 0;
    int p = 0;
    for (const std::uint64_t plane : counter.plane)
        number |= static_cast<std::int64_t>(plane >> bit & 1) << p++;
    return number;
}

}  // namespace

std::vector<std::int64_t> two_time_sums(const Shape& shape, const std::vector<std::uint64_t>& before,
                                        const std::vector<std::uint64_t>& now) {
    const std::int64_t sites = shape.own_sites();
    std::vector<std::int64_t> sums;
    sums.reserve(static_cast<std::size_t>(shape.replicas * shape.realizations));
    for (std::int64_t lattice = 0; lattice < shape.replicas * shape.packs64(); ++lattice) {
        const DifferenceCounter counter =
            count_differences(before.data() + lattice * sites, now.data() + lattice * sites, sites);
        const std::int64_t rest = shape.realizations - lattice % shape.packs64() * 64;
        for (int bit = 0; bit < 64 && bit < rest; ++bit) sums.push_back(sites - 2 * number_of(counter, bit));
    }
    return sums;
}

}  // namespace psflip
