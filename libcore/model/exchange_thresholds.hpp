#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// Thresholds of one pair of neighbouring temperatures: an exchange that costs d = E_{t+1} - E_t > 0 (a
/// multiple of 4) is accepted iff R < table[d/4] = round(2^32 exp(-(beta_t - beta_{t+1}) d)), and never
/// beyond the end of the table. table[0] is not used: d <= 0 always is accepted. sites: of a
/// three-dimensional lattice, so that E runs from -3 sites to 3 sites.
std::vector<std::uint32_t> exchange_thresholds(double beta_cold, double beta_hot, std::int64_t sites);

}  // namespace psflip
