#include "bench/stateful/site_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace psflip {
namespace {

constexpr int tile = 16;

struct SiteOf {
    int L;
    int x(std::uint32_t site) const { return static_cast<int>(site) % L; }
    int y(std::uint32_t site) const { return static_cast<int>(site) / L % L; }
    int z(std::uint32_t site) const { return static_cast<int>(site) / L / L; }
};

std::uint32_t phase_count(UpdateOrder order) {
    return order == UpdateOrder::sequential ? 1 : order == UpdateOrder::checkerboard ? 2 : 4;
}

/// Returns the sort key of a site: phase, tile, number.
std::uint64_t rank_of(std::uint32_t number, const SiteOf& of, UpdateOrder order) {
    if (order == UpdateOrder::sequential) return number;
    const int x = of.x(number), y = of.y(number), z = of.z(number);
    const auto odd = static_cast<std::uint64_t>(x + y + z) % 2;
    if (order == UpdateOrder::checkerboard) return odd << 32 | number;
    const int column = x / tile, row = y / tile;
    const auto phase = 2 * static_cast<std::uint64_t>((column + row) % 2) + odd;
    const auto in_order = static_cast<std::uint64_t>(row) * (of.L / tile) + column;
    return phase << 56 | in_order << 32 | number;
}

}  // namespace

std::string name(UpdateOrder order) {
    switch (order) {
        case UpdateOrder::sequential:
            return "sequential";
        case UpdateOrder::checkerboard:
            return "checkerboard";
        default:
            return "double-checkerboard";
    }
}

void check_site_table(int L, int dimension, UpdateOrder order) {
    const int largest = dimension == 3 ? 512 : 4096;
    if (L < 4 || L > largest || L % 2 != 0)
        throw InputError(fmt::format("L = {} in {} dimensions is not possible; use an even L from 4 to {}", L,
                                     dimension, largest));
    if (order != UpdateOrder::double_checkerboard) return;
    if (dimension != 2 || L % (2 * tile) != 0)
        throw InputError(
            fmt::format("L = {} in {} dimensions does not suit the double checkerboard; use a multiple of {} "
                        "in two dimensions",
                        L, dimension, 2 * tile));
}

std::uint32_t sites_of_phase(int L, int dimension, UpdateOrder order) {
    return static_cast<std::uint32_t>(L) * L * (dimension == 3 ? L : 1) / phase_count(order);
}

SiteTable::SiteTable(int L, int dimension, UpdateOrder order)
    : degree_(2 * dimension), phases_(phase_count(order)) {
    check_site_table(L, dimension, order);
    const SiteOf of{L};
    const std::uint32_t sites = static_cast<std::uint32_t>(L) * L * (dimension == 3 ? L : 1);
    number_.resize(sites);
    std::iota(number_.begin(), number_.end(), 0u);
    std::ranges::sort(number_, {}, [&](std::uint32_t n) { return rank_of(n, of, order); });
    std::vector<std::uint32_t> place(sites);
    for (std::uint32_t i = 0; i < sites; ++i) place[number_[i]] = i;
    near_.resize(static_cast<std::size_t>(degree_) * sites);
    for (int k = 0; k < degree_; ++k) {
        for (std::uint32_t i = 0; i < sites; ++i) {
            int at[3] = {of.x(number_[i]), of.y(number_[i]), of.z(number_[i])};
            at[k / 2] = (at[k / 2] + (k % 2 == 0 ? 1 : L - 1)) % L;
            near_[static_cast<std::size_t>(k) * sites + i] = place[at[0] + L * (at[1] + L * at[2])];
        }
    }
}

SitesView SiteTable::view() const {
    return {static_cast<std::uint32_t>(number_.size()), phases_, number_.data(), near_.data()};
}

}  // namespace psflip
