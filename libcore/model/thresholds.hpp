#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace psflip {

/// Holds the Metropolis thresholds round(2^32 exp(-beta dE)) for dE = 4, 8, 12 J. A flip that costs dE is
/// accepted iff the 32-bit random number R is below the threshold of dE.
struct Thresholds {
    std::uint32_t c4 = 0, c8 = 0, c12 = 0;
};

/// Returns round(2^32 exp(-x)) for x > 0, at most 2^32 - 1.
inline std::uint32_t acceptance_threshold(double x) {
    const double scaled = std::round(4294967296.0 * std::exp(-x));
    return scaled >= 4294967295.0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(scaled);
}

inline Thresholds metropolis_thresholds(double beta) {
    return {acceptance_threshold(4 * beta), acceptance_threshold(8 * beta), acceptance_threshold(12 * beta)};
}

/// Returns the thresholds for exchanges between slot t (colder) and slot t + 1, without a field, on a
/// three-dimensional lattice of `sites` sites. An exchange with d = E_{t+1} - E_t > 0, a multiple of 4, is
/// accepted iff R < table[d/4] = round(2^32 exp(-(beta_t - beta_{t+1}) d)). It is never accepted if d/4 is
/// beyond the end of the table. An exchange with d <= 0 is always accepted.
inline std::vector<std::uint32_t> exchange_thresholds(double beta_cold, double beta_hot, std::int64_t sites) {
    std::vector<std::uint32_t> table{0xFFFFFFFFu};
    for (std::int64_t i = 1; i <= 6 * sites / 4 && table.back() != 0; ++i)
        table.push_back(acceptance_threshold((beta_cold - beta_hot) * 4.0 * static_cast<double>(i)));
    return table;
}

}  // namespace psflip
