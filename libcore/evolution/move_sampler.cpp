#include "evolution/move_sampler.hpp"

#include <algorithm>

namespace psflip {

std::int64_t MoveSampler::next_move(std::int64_t completed, std::span<const std::unique_ptr<Move>> moves) {
    constexpr std::int64_t max_sweeps_at_once = 1 << 30;
    std::int64_t next = completed + max_sweeps_at_once;
    for (const auto& move : moves)
        if (const std::int64_t period = move->period(); period > 0)
            next = std::min(next, (completed / period + 1) * period);
    return next;
}

/// Between two applications of the other moves, the first move may do whole periods together with their
/// sweeps.
void MoveSampler::advance(std::int64_t first, std::int64_t target) {
    constexpr std::int64_t max_periods = 1 << 20;
    const std::span<const std::unique_ptr<Move>> all = moves_, others = all.subspan(all.empty() ? 0 : 1);
    while (first < target) {
        const std::int64_t period = all.empty() ? 0 : all.front()->period(),
                           room = std::min(target, next_move(first, others)) - first,
                           periods = period > 0 && first % period == 0 ? room / period : 0;
        const auto now = static_cast<int>(std::min(periods, max_periods));
        const bool applied = now > 0 && all.front()->sweep_and_apply(first, now);
        const std::int64_t end = applied ? first + now * period : std::min(target, next_move(first, all));
        ensemble().sum_clusters(sums_clusters_ && end == target);
        if (!applied) ensemble().sweep(first, static_cast<int>(end - first));
        first = end;
        apply_due(first, applied ? others : all);
    }
}

void MoveSampler::apply_due(std::int64_t completed, std::span<const std::unique_ptr<Move>> moves) {
    for (const auto& move : moves)
        if (move->period() > 0 && completed % move->period() == 0) move->apply(completed);
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
