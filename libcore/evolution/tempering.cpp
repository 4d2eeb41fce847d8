#include "evolution/tempering.hpp"

#include <algorithm>

namespace psflip {

TemperingState initial_tempering(const Shape& shape) {
    const std::int64_t lattices = shape.realizations * shape.replicas, T = shape.temperatures;
    TemperingState state;
    state.walker.resize(lattices * T);
    for (std::int64_t i = 0; i < lattices * T; ++i) state.walker[i] = static_cast<std::uint8_t>(i % T);
    state.last_end.assign(lattices * T, 0);
    state.accepted.assign(lattices * (T - 1), 0);
    state.attempted.assign(T - 1, 0);
    state.round_trips.assign(lattices, 0);
    return state;
}

/// Whole periods where there are some, which a kernel may do in one go; else up to the next exchange.
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
