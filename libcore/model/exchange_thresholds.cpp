#include "model/exchange_thresholds.hpp"

#include "model/thresholds.hpp"

namespace psflip {

std::vector<std::uint32_t> exchange_thresholds(double beta_cold, double beta_hot, std::int64_t sites) {
    std::vector<std::uint32_t> table{0xFFFFFFFFu};
    const std::int64_t largest = 6 * sites / 4;
    for (std::int64_t i = 1; i <= largest; ++i) {
        table.push_back(acceptance_threshold((beta_cold - beta_hot) * 4.0 * static_cast<double>(i)));
        if (table.back() == 0) break;
    }
    return table;
}

}  // namespace psflip
