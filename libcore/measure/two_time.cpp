#include "measure/two_time.hpp"

#include <algorithm>
#include <bit>

#include "lattice/site_bits.hpp"
#include "random/purposes.hpp"
#include "word/bit_counter.hpp"

namespace psflip {
namespace {

constexpr std::uint64_t all_up = ~std::uint64_t{0};

using DifferenceCounter = BitCounter<std::uint64_t, planes_for(max_sites)>;

/// Returns in how many of `sites` words each bit differs; `before` is nullptr if all bits were 1.
DifferenceCounter count_differences(const std::uint64_t* before, const std::uint64_t* now,
                                    std::int64_t sites) {
    DifferenceCounter counter;
    counter.clear();
    constexpr int together = 8;
    for (std::int64_t site = 0; site < sites; site += together) {
        std::uint64_t differ[together]{};
        const auto here = static_cast<int>(std::min<std::int64_t>(together, sites - site));
        for (int i = 0; i < here; ++i) differ[i] = (before ? before[site + i] : all_up) ^ now[site + i];
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

/// Lattice by lattice.
std::vector<std::int64_t> sums_of_bits(const Shape& shape, const std::vector<std::uint64_t>& before,
                                       const std::vector<std::uint64_t>& now) {
    std::vector<std::int64_t> sums;
    const std::int64_t words = lattice_bit_words(shape);
    for (std::int64_t first = 0; first < std::ssize(now); first += words) {
        std::int64_t differ = 0;
        for (std::int64_t i = first; i < first + words; ++i)
            differ += std::popcount((before.empty() ? all_up : before[i]) ^ now[i]);
        sums.push_back(shape.sites() - 2 * differ);
    }
    return sums;
}

}  // namespace

std::vector<std::int64_t> two_time_sums(const Shape& shape, const std::vector<std::uint64_t>& before,
                                        const std::vector<std::uint64_t>& now) {
    if (holds_site_bits(shape)) return sums_of_bits(shape, before, now);
    const std::int64_t sites = shape.own_sites();
    std::vector<std::int64_t> sums;
    sums.reserve(static_cast<std::size_t>(shape.replicas * shape.realizations));
    for (std::int64_t lattice = 0; lattice < shape.replicas * shape.packs64(); ++lattice) {
        const DifferenceCounter counter = count_differences(
            before.empty() ? nullptr : before.data() + lattice * sites, now.data() + lattice * sites, sites);
        const std::int64_t rest = shape.realizations - lattice % shape.packs64() * 64;
        for (int bit = 0; bit < 64 && bit < rest; ++bit) sums.push_back(sites - 2 * number_of(counter, bit));
    }
    return sums;
}

}  // namespace psflip
