#include "evolution/move_sampler.hpp"

#include <algorithm>

namespace psflip {

std::int64_t MoveSampler::next_move(std::int64_t completed) const {
    constexpr std::int64_t max_sweeps_at_once = 1 << 30;
    std::int64_t next = completed + max_sweeps_at_once;
    for (const auto& move : moves_)
        if (const std::int64_t period = move->period(); period > 0)
            next = std::min(next, (completed / period + 1) * period);
    return next;
}

/// A single move may do whole periods together with their sweeps.
void MoveSampler::advance(std::int64_t first, std::int64_t target) {
    constexpr std::int64_t max_periods = 1 << 20;
    while (first < target) {
        const std::int64_t period = moves_.size() == 1 ? moves_.front()->period() : 0;
        const std::int64_t periods = period > 0 && first % period == 0 ? (target - first) / period : 0;
        const auto now = static_cast<int>(std::min(periods, max_periods));
        if (now > 0 && moves_.front()->sweep_and_apply(first, now)) {
            first += now * period;
            continue;
        }
        const std::int64_t end = std::min(target, next_move(first));
        ensemble().sweep(first, static_cast<int>(end - first));
        first = end;
        for (const auto& move : moves_)
            if (move->period() > 0 && first % move->period() == 0) move->apply(first);
    }
}

SamplerState MoveSampler::state() const {
    SamplerState state;
    for (const auto& move : moves_)
        if (auto group = move->state()) state.groups.push_back(*std::move(group));
    return state;
}

void MoveSampler::set_state(const SamplerState& state) {
    for (const auto& move : moves_) move->set_state(state);
}

}  // namespace psflip
