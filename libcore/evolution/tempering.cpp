#include "evolution/tempering.hpp"

#include <algorithm>

namespace psflip {

/// Does whole periods if there are some, because a kernel may do them in one go; else up to the next
/// exchange.
void Tempering::advance(std::int64_t first, std::int64_t target) {
    constexpr std::int64_t most_sweeps = 1 << 30, most_periods = 1 << 20;
    const bool exchanging = period_ > 0 && ensemble().shape().temperatures > 1;
    while (first < target) {
        const std::int64_t periods = exchanging && first % period_ == 0 ? (target - first) / period_ : 0;
        if (periods > 0) {
            const auto now = static_cast<int>(std::min(periods, most_periods));
            sweep_and_exchange(first, now);
            first += std::int64_t{now} * period_;
            continue;
        }
        std::int64_t end = std::min(target, first + most_sweeps);
        if (exchanging) end = std::min(end, (first / period_ + 1) * period_);
        ensemble().sweep(first, static_cast<int>(end - first));
        first = end;
        if (exchanging && first % period_ == 0) exchange(first);
    }
}

void Tempering::sweep_and_exchange(std::int64_t first, int periods) {
    for (int i = 0; i < periods; ++i) {
        ensemble().sweep(first, period_);
        first += period_;
        exchange(first);
    }
}

}  // namespace psflip
