#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "evolution/houdayer_move.hpp"
#include "evolution/move_sampler.hpp"
#include "model/bond_energy.hpp"
#include "model/exchange_rule.hpp"
#include "model/thresholds.hpp"
#include "sweep/host_ensemble.hpp"

namespace psflip {
namespace {

/// Uses no branches, because accepted lanes are random.
template <class T>
void swap_accepted(T* cold, T* hot, const std::uint8_t (&accept)[column_bits]) {
    for (int lane = 0; lane < column_bits; ++lane) {
        const auto change = static_cast<T>((cold[lane] ^ hot[lane]) & -T{accept[lane]});
        cold[lane] ^= change;
        hot[lane] ^= change;
    }
}

/// Packs bytes of 0 or 1 into bits, eight at a time. The multiplication moves byte i to bit 56 + i of the
/// product, without carries.
void bits_of_bytes(const std::uint8_t (&accept)[column_bits], std::uint64_t (&mask)[2]) {
    for (int lane = 0; lane < column_bits; lane += 8) {
        std::uint64_t bytes = 0;
        for (int i = 0; i < 8; ++i) bytes |= std::uint64_t{accept[lane + i]} << (8 * i);
        mask[lane / 64] |= (bytes * 0x0102040810204080u >> 56) << (lane % 64);
    }
}

/// Exchange with energies in host memory. Arrays run over lanes (realizations padded to columns of 128) last,
/// see HostEnsemble::lane_offset.
class HostExchange final : public Exchange {
  public:
    /// The ensemble must outlive the exchange.
    HostExchange(HostEnsemble& ensemble, int sweeps_per_swap);

    void apply(std::int64_t completed) override;
    TemperingState tempering() const override;
    void set_tempering(const TemperingState& state) override;
    const std::uint8_t* walkers() const { return walker_.data(); }

  private:
    void exchange_column(std::int64_t completed, std::int64_t column, int replica);
    /// 1 or 0 for each of 128 realizations.
    typedef std::uint8_t Accepted[column_bits];
    void decide_by_table(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                         Accepted& accept);
    void decide_by_rule(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                        Accepted& accept);
    void exchange_pair(std::int64_t column, int replica, int pair, const Accepted& accept);
    void note_ends(std::int64_t column, int replica);

    HostEnsemble& ensemble_;
    bool by_table_;  ///< energies of the first model are multiples of 4, so that a table decides
    std::vector<std::vector<std::uint32_t>> thresholds_;  ///< per pair, if by_table_
    std::vector<std::uint8_t> walker_, last_end_;  ///< (column, replica, slot, lane); last_end by walker
    std::vector<std::int64_t> accepted_;           ///< (column, replica, pair, lane)
    std::vector<std::int64_t> attempted_;          ///< (pair)
    std::vector<std::int64_t> round_trips_;        ///< (column, replica, lane)
};

HostExchange::HostExchange(HostEnsemble& ensemble, int sweeps_per_swap)
    : Exchange(ensemble.shape(), sweeps_per_swap),
      ensemble_(ensemble),
      by_table_(exchanges_by_table(ensemble_.model(), ensemble_.rule())) {
    const auto& betas = ensemble_.betas();
    for (int t = 0; by_table_ && t + 1 < shape_.temperatures; ++t)
        thresholds_.push_back(exchange_thresholds(betas[t], betas[t + 1], shape_.sites()));
    walker_.assign(ensemble_.lanes(), 0);
    last_end_.assign(ensemble_.lanes(), 0);
    accepted_.assign(ensemble_.lanes(), 0);
    round_trips_.assign(shape_.columns() * shape_.replicas * column_bits, 0);
    set_tempering(initial_tempering(shape_));
}

void HostExchange::apply(std::int64_t completed) {
    ensemble_.compute_energies();
    const std::int64_t tasks = shape_.columns() * shape_.replicas;
    ensemble_.pool().for_each(tasks, [&](std::int64_t i, int) {
        exchange_column(completed, i / shape_.replicas, static_cast<int>(i % shape_.replicas));
    });
    ensemble_.end_swaps();
    for (int t = parity(completed); t + 1 < shape_.temperatures; t += 2) ++attempted_[t];
}

void HostExchange::exchange_column(std::int64_t completed, std::int64_t column, int replica) {
    const int first = parity(completed);
    alignas(64) std::uint32_t numbers[32 * column_bits];  // up to 32 pairs of one parity
    ensemble_.kernels().exchange_random({.key = ensemble_.key(),
                                         .sweep = completed,
                                         .replica = static_cast<std::uint32_t>(replica),
                                         .first_realization = ensemble_.first_realization(column),
                                         .pairs = (shape_.temperatures - first) / 2,
                                         .numbers = numbers});
    for (int pair = first; pair + 1 < shape_.temperatures; pair += 2) {
        Accepted accept;
        if (by_table_)
            decide_by_table(column, replica, pair, numbers + pair / 2 * column_bits, accept);
        else
            decide_by_rule(column, replica, pair, numbers + pair / 2 * column_bits, accept);
        exchange_pair(column, replica, pair, accept);
    }
    note_ends(column, replica);
}

void HostExchange::decide_by_table(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                                   Accepted& accept) {
    const auto& table = thresholds_[pair];
    const auto table_size = static_cast<std::int32_t>(table.size());
    const std::int32_t* cold = ensemble_.energy(column, replica, pair);
    const std::int32_t* hot = cold + column_bits;
    const int unit = shape_.energy_unit();
    for (int lane = 0; lane < column_bits; ++lane) {
        const std::int32_t steps = energy_steps(cold[lane], hot[lane], unit);
        const std::int32_t entry = std::clamp(steps, 0, table_size - 1);
        accept[lane] = (steps <= 0) | ((steps < table_size) & (numbers[lane] < table[entry]));
    }
}

void HostExchange::decide_by_rule(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                                  Accepted& accept) {
    const auto& betas = ensemble_.betas();
    const double difference = betas[pair] - betas[pair + 1], h = ensemble_.model().field;
    const std::int32_t* E = ensemble_.energy(column, replica, pair);
    const std::int32_t* M = h != 0.0 ? ensemble_.magnetisation(column, replica, pair) : nullptr;
    const auto rise = [](const std::int32_t* cold, int lane, int unit) {
        return cold ? energy_rise(cold[lane], cold[lane + column_bits], unit) : 0;
    };
    for (int lane = 0; lane < column_bits; ++lane)
        accept[lane] = exchange_accepted(numbers[lane], rise(E, lane, shape_.energy_unit()), rise(M, lane, 1),
                                         difference, h);
}

void HostExchange::exchange_pair(std::int64_t column, int replica, int pair, const Accepted& accept) {
    const auto swap = [&](auto* cold) { swap_accepted(cold, cold + column_bits, accept); };
    const std::int64_t at = ensemble_.lane_offset(column, replica, pair);
    swap(ensemble_.energy(column, replica, pair));
    if (ensemble_.rule().field) swap(ensemble_.magnetisation(column, replica, pair));
    swap(walker_.data() + at);
    for (int lane = 0; lane < column_bits; ++lane) accepted_[at + lane] += accept[lane];
    std::uint64_t mask[2] = {0, 0};
    bits_of_bytes(accept, mask);
    if (mask[0] | mask[1]) ensemble_.swap_spins(column, replica, pair, mask);
}

/// A round trip cold -> hot -> cold ends when a walker that was at the hot end since it was last cold is at
/// the cold end. A walker that has not been cold yet leaves no mark at the hot end: half a trip does not
/// count.
void HostExchange::note_ends(std::int64_t column, int replica) {
    const std::int64_t base = ensemble_.lane_offset(column, replica, 0);
    const std::int64_t hottest = std::int64_t{shape_.temperatures - 1} * column_bits;
    std::int64_t* trips = round_trips_.data() + (column * shape_.replicas + replica) * column_bits;
    for (int lane = 0; lane < column_bits; ++lane) {
        std::uint8_t& at_cold = last_end_[base + std::int64_t{walker_[base + lane]} * column_bits + lane];
        trips[lane] += at_cold == 2;
        at_cold = 1;
        std::uint8_t& at_hot =
            last_end_[base + std::int64_t{walker_[base + hottest + lane]} * column_bits + lane];
        if (at_hot == 1) at_hot = 2;
    }
}

TemperingState HostExchange::tempering() const {
    TemperingState out = initial_tempering(shape_);
    out.attempted = attempted_;
    const int T = shape_.temperatures;
    for (std::int64_t r = 0; r < shape_.realizations; ++r)
        for (int replica = 0; replica < shape_.replicas; ++replica) {
            const std::int64_t lattice = r * shape_.replicas + replica;
            for (int t = 0; t < T; ++t) {
                const std::int64_t from =
                    ensemble_.lane_offset(r / column_bits, replica, t) + r % column_bits;
                out.walker[lattice * T + t] = walker_[from];
                out.last_end[lattice * T + t] = last_end_[from];
                if (t + 1 < T) out.accepted[lattice * (T - 1) + t] = accepted_[from];
            }
            out.round_trips[lattice] =
                round_trips_[(r / column_bits * shape_.replicas + replica) * column_bits + r % column_bits];
        }
    return out;
}

void HostExchange::set_tempering(const TemperingState& state) {
    const int T = shape_.temperatures;
    attempted_ = state.attempted;
    for (std::int64_t lane = 0; lane < shape_.lanes(); ++lane)
        for (int replica = 0; replica < shape_.replicas; ++replica) {
            const std::int64_t lattice = lane * shape_.replicas + replica;
            const bool used = lane < shape_.realizations;
            for (int t = 0; t < T; ++t) {
                const std::int64_t to =
                    ensemble_.lane_offset(lane / column_bits, replica, t) + lane % column_bits;
                walker_[to] = used ? state.walker[lattice * T + t] : static_cast<std::uint8_t>(t);
                last_end_[to] = used ? state.last_end[lattice * T + t] : 0;
                if (t + 1 < T) accepted_[to] = used ? state.accepted[lattice * (T - 1) + t] : 0;
            }
            round_trips_[(lane / column_bits * shape_.replicas + replica) * column_bits +
                         lane % column_bits] = used ? state.round_trips[lattice] : 0;
        }
}

/// Sampler of an ensemble whose energies lie in host memory.
class HostSampler final : public IsingSampler {
  public:
    explicit HostSampler(const BatchSetup& setup) : ensemble_(make_host_ensemble(setup)) {
        auto exchange = std::make_unique<HostExchange>(*ensemble_, setup.sweeps_per_swap);
        walkers_ = exchange->walkers();
        add_exchange(std::move(exchange));
        if (setup.houdayer.every > 0) add(std::make_unique<Houdayer>(*ensemble_, setup.houdayer));
    }

    IsingEnsemble& ensemble() override { return *ensemble_; }
    View view() override {
        LatticeCounts* const counts = ensemble_->lattice_counts();
        return CpuView{.layout = ensemble_->layout(),
                       .spins = counts ? nullptr : ensemble_->column_spins(),
                       .energies = ensemble_->energy(0, 0, 0),
                       .walkers = walkers_,
                       .absent = ensemble_->column_absent(0),
                       .bonds = ensemble_->bonds(),
                       .pool = &ensemble_->pool(),
                       .level = ensemble_->level(),
                       .lattices = counts,
                       .wide_energies = ensemble_->wide_energies(),
                       .clusters = ensemble_->cluster_sums()};
    }

  private:
    std::unique_ptr<HostEnsemble> ensemble_;
    const std::uint8_t* walkers_;
};

}  // namespace

std::unique_ptr<IsingSampler> make_host_sampler(const BatchSetup& setup) {
    return std::make_unique<HostSampler>(setup);
}

}  // namespace psflip
