#include "evolution/vector_exchange.hpp"

#include <utility>

#include "model/exchange_rule.hpp"
#include "random/philox.hpp"

namespace psflip {

void VectorExchange::apply(std::int64_t completed) {
    batch_.compute_energies();
    std::vector<StatePair> accepted;
    for (std::int64_t r = 0; r < shape_.realizations; ++r)
        for (int replica = 0; replica < shape_.replicas; ++replica) {
            exchange_lattices(completed, r, replica, accepted);
            note_ends(r * shape_.replicas + replica);
        }
    batch_.swap_states(accepted);
    for (int t = parity(completed); t + 1 < shape_.temperatures; t += 2) ++state_.attempted[t];
}

void VectorExchange::exchange_lattices(std::int64_t completed, std::int64_t r, int replica,
                                       std::vector<StatePair>& accepted) {
    const auto& betas = batch_.betas();
    const std::int64_t lattice = r * shape_.replicas + replica;
    RandomBlock block{};
    int block_number = -1;
    for (int t = parity(completed); t + 1 < shape_.temperatures; t += 2) {
        if (std::exchange(block_number, t / 2 / 4) != t / 2 / 4)
            block = philox(
                make_counter(Purpose::exchange, 0, static_cast<std::uint64_t>(completed),
                             static_cast<std::uint32_t>(block_number), static_cast<std::uint32_t>(replica), 0,
                             static_cast<std::uint32_t>(shape_.first_realization + r)),
                batch_.key());
        const std::int64_t cold = batch_.state(r, replica, t), hot = batch_.state(r, replica, t + 1);
        const double rise = batch_.sums()[hot].energy() - batch_.sums()[cold].energy();
        if (!exchange_accepted(block.word[t / 2 % 4], rise, betas[t] - betas[t + 1])) continue;
        accepted.push_back({static_cast<std::uint32_t>(cold), static_cast<std::uint32_t>(hot)});
        auto* walkers = state_.walker.data() + lattice * shape_.temperatures;
        std::swap(walkers[t], walkers[t + 1]);
        ++state_.accepted[lattice * (shape_.temperatures - 1) + t];
    }
}

/// See TemperingState.
void VectorExchange::note_ends(std::int64_t lattice) {
    const int T = shape_.temperatures;
    const std::uint8_t* walkers = state_.walker.data() + lattice * T;
    std::uint8_t* last_end = state_.last_end.data() + lattice * T;
    std::uint8_t &at_cold = last_end[walkers[0]], &at_hot = last_end[walkers[T - 1]];
    state_.round_trips[lattice] += at_cold == 2;
    at_cold = 1;
    if (at_hot == 1) at_hot = 2;
}

}  // namespace psflip
