#include "evolution/exchange.hpp"

#include <algorithm>

#include "evolution/exchange_cpu.hpp"
#include "model/thresholds.hpp"
#if PSFLIP_HAVE_CUDA
#include "evolution/exchange_cuda.hpp"
#endif

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

std::vector<std::uint32_t> exchange_thresholds(double beta_cold, double beta_hot, std::int64_t sites) {
    std::vector<std::uint32_t> table{0xFFFFFFFFu};
    const std::int64_t largest = 6 * sites / 4;  // E runs from -3N to 3N
    for (std::int64_t i = 1; i <= largest; ++i) {
        table.push_back(acceptance_threshold((beta_cold - beta_hot) * 4.0 * static_cast<double>(i)));
        if (table.back() == 0) break;
    }
    return table;
}

void Exchange::sweep_and_exchange(std::int64_t first, int bursts) {
    for (int i = 0; i < bursts; ++i) {
        swept_.sweep(first, sweeps_per_swap_);
        first += sweeps_per_swap_;
        compute_energies();
        exchange(first);
    }
}

std::unique_ptr<Exchange> make_exchange(Ensemble& ensemble, int sweeps_per_swap) {
#if PSFLIP_HAVE_CUDA
    if (ensemble.backend() == Backend::cuda) return make_exchange_cuda(ensemble, sweeps_per_swap);
#endif
    return std::make_unique<CpuExchange>(dynamic_cast<CpuEnsemble&>(ensemble), sweeps_per_swap);
}

}  // namespace psflip
