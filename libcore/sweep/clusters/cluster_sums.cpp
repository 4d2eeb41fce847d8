#include "sweep/clusters/cluster_sums.hpp"

#include <cmath>
#include <numbers>

namespace psflip {

std::vector<std::int32_t> fixed_fourier_table(int L) {
    std::vector<std::int32_t> table(static_cast<std::size_t>(4 * L + 2));
    std::int32_t* const below = table.data() + 2 * L;
    for (int x = 0; x < L; ++x) {
        const double angle = 2 * std::numbers::pi * x / L, unit = 1 << fourier_bits;
        table[2 * x] = static_cast<std::int32_t>(std::lround(unit * std::cos(angle)));
        table[2 * x + 1] = static_cast<std::int32_t>(std::lround(unit * std::sin(angle)));
        for (int part = 0; part < 2; ++part)
            below[2 * (x + 1) + part] = below[2 * x + part] + table[2 * x + part];
    }
    return table;
}

}  // namespace psflip
