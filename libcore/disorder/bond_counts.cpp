// Counts the bonds of disorder files (BondCounts in couplings.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "disorder/couplings.hpp"

namespace psflip {

BondCounts& BondCounts::operator+=(const BondCounts& more) {
    positive += more.positive;
    negative += more.negative;
    std::ranges::transform(present, more.present, present.begin(), std::plus<>());
    std::ranges::transform(across, more.across, across.begin(), std::plus<>());
    return *this;
}

template <class T>
void BondCounts::add(std::int64_t first, std::span<const T> bonds, int dimension, int L) {
    const std::int64_t depth = dimension == 3 ? L : 1;
    for (std::int64_t at = 0; at < std::ssize(bonds); at += L) {
        const std::int64_t row = (first + at) / L, y = row % L, z = row / L % depth;
        const auto direction = static_cast<std::size_t>(row / L / depth % dimension);
        const std::span<const T> along_x =
            bonds.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(L));
        const std::int64_t up = std::ranges::count_if(along_x, [](T J) { return J > 0; }),
                           down = std::ranges::count_if(along_x, [](T J) { return J < 0; });
        positive += up;
        negative += down;
        present[direction] += up + down;
        if (direction == 0)
            across[0] += along_x.back() != 0;
        else if ((direction == 1 ? y : z) == L - 1)
            across[direction] += up + down;
    }
}

template void BondCounts::add(std::int64_t, std::span<const std::int8_t>, int, int);
template void BondCounts::add(std::int64_t, std::span<const double>, int, int);

std::string BondCounts::open_directions() const {
    std::string found;
    for (std::size_t direction = 0; direction < 3; ++direction)
        if (present[direction] > 0 && across[direction] == 0)
            found += (found.empty() ? "" : " and ") + std::string(1, "xyz"[direction]);
    return found;
}

}  // namespace psflip
