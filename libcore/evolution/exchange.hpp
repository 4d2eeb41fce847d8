#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sweep/ensemble.hpp"

namespace psflip {

/// Where every walker (a configuration that wanders in temperature) is, and what the exchanges counted.
/// Arrays are row-major with the axes named; "realization" is the batch's, without padding.
struct TemperingState {
    std::vector<std::uint8_t>
        walker;  ///< (realization, replica, slot): number of the walker at this slot; starts as slot
    std::vector<std::uint8_t> last_end;  ///< (realization, replica, walker): 0 not at slot 0 yet, 1 last at
                                         ///< slot 0, 2 at the hottest slot since it was at slot 0
    std::vector<std::int64_t>
        accepted;  ///< (realization, replica, pair): accepted exchanges of slots (pair, pair+1)
    std::vector<std::int64_t> attempted;  ///< (pair): attempts, the same for every realization and replica
    std::vector<std::int64_t>
        round_trips;  ///< (realization, replica): trips cold -> hot -> cold completed by any walker
    bool operator==(const TemperingState&) const = default;
};

/// The state before any exchange. With one temperature nothing ever changes.
TemperingState initial_tempering(const Shape& shape);

/// Thresholds of one pair of neighbouring slots: an exchange that costs d = E_{t+1} - E_t > 0 (a multiple of
/// 4) is accepted iff R < table[d/4] = round(2^32 exp(-(beta_t - beta_{t+1}) d)), and never beyond the end of
/// the table. table[0] is not used: d <= 0 always is accepted.
std::vector<std::uint32_t> exchange_thresholds(double beta_cold, double beta_hot, std::int64_t sites);

/// Replica exchange between neighbouring temperatures, decided per realization and replica, as masked bit
/// exchange between lattices. Holds the energies of all lattices.
class Exchange {
  public:
    virtual ~Exchange() = default;

    /// Computes the energies of the current spins.
    virtual void compute_energies() = 0;

    /// After compute_energies: decides and carries out the exchanges at `completed` sweeps (a multiple of
    /// sweeps_per_swap): pairs (t, t+1) with t % 2 == (completed / sweeps_per_swap) % 2. Energies follow the
    /// spins, walkers and counts are updated; then the walkers at both ends are noted (a walker at slot 0
    /// that was last at the hottest slot ends a round trip). The start is not noted. With one temperature
    /// nothing happens.
    virtual void exchange(std::int64_t completed) = 0;

    /// `bursts` times: sweeps_per_swap sweeps, from number `first` on (a multiple of sweeps_per_swap), then
    /// compute_energies and exchange. May return before the work is done.
    virtual void sweep_and_exchange(std::int64_t first, int bursts);

    /// Energies E = -sum J s s of the last compute_energies (and exchange), to be asked for before the next
    /// sweep: int32 (replica, temperature, realization).
    virtual std::vector<std::int32_t> energies() const = 0;

    virtual TemperingState state() const = 0;
    virtual void set_state(const TemperingState& state) = 0;

  protected:
    Exchange(Ensemble& ensemble, int sweeps_per_swap) : swept_(ensemble), sweeps_per_swap_(sweeps_per_swap) {}

    Ensemble& swept_;
    int sweeps_per_swap_;
};

/// Makes the exchange on the ensemble's backend; the ensemble must outlive it.
std::unique_ptr<Exchange> make_exchange(Ensemble& ensemble, int sweeps_per_swap);

}  // namespace psflip
