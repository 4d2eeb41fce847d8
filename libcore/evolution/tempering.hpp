#pragma once

#include <cstdint>

#include "evolution/sampler.hpp"
#include "evolution/tempering_state.hpp"

namespace psflip {

/// Sweeps, and replica exchange between neighbouring temperatures, decided per realization and replica, as
/// masked bit exchange between lattices.
class Tempering : public Sampler {
  public:
    void advance(std::int64_t first, std::int64_t target) final;

  protected:
    explicit Tempering(int sweeps_per_swap) : period_(sweeps_per_swap) {}

    /// Parity of the pairs that are tried at `completed` sweeps: (t, t + 1) with t % 2 equal to it.
    int parity(std::int64_t completed) const { return static_cast<int>(completed / period_ % 2); }

    /// Decides and carries out the exchanges at `completed` sweeps, a multiple of the period. Energies follow
    /// the spins, walkers and counts are updated; then the walkers at both ends are noted (a walker at slot 0
    /// that was last at the hottest slot ends a round trip). The start is not noted. Only called where there
    /// are several temperatures.
    virtual void exchange(std::int64_t completed) = 0;

    /// `periods` times: the sweeps of a period, from number `first` on (a multiple of it), and the exchange.
    virtual void sweep_and_exchange(std::int64_t first, int periods);

    int period_;  ///< sweeps from one exchange to the next
};

/// Tempering of Ising spins whose bonds are +1, -1 or 0, on either backend.
class IsingTempering : public Tempering {
  public:
    IsingEnsemble& ensemble() override = 0;
    void set_state(const SamplerState& state) final { set_tempering(tempering_of(state)); }
    virtual TemperingState tempering() const = 0;
    virtual void set_tempering(const TemperingState& state) = 0;

  protected:
    using Tempering::Tempering;
};

/// Makes the sampler of Ising spins whose bonds are +1, -1 or 0. Collective. Errors: as make_ising_ensemble.
std::unique_ptr<IsingTempering> make_ising_sampler(const BatchSetup& setup);

}  // namespace psflip
