#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/exchange.hpp"
#include "evolution/sampler.hpp"

namespace psflip {

/// Sweeps with moves between them; parallel tempering is a sampler whose move is the exchange. A kernel that
/// sweeps and exchanges in one launch is used only if the exchange is the only move.
class MoveSampler : public Sampler {
  public:
    /// Does the sweeps and, at multiples of their periods, the moves in the order in which they were added.
    void advance(std::int64_t first, std::int64_t target) final;
    SamplerState state() const final;
    void set_state(const SamplerState& state) final;

    void add(std::unique_ptr<Move> move) { moves_.push_back(std::move(move)); }

  private:
    /// Returns the first multiple of a period after `completed` sweeps.
    std::int64_t next_move(std::int64_t completed) const;

    std::vector<std::unique_ptr<Move>> moves_;
};

/// A sampler of Ising spins whose bonds are +1, -1 or 0. Its first move is the exchange.
class IsingSampler : public MoveSampler {
  public:
    IsingEnsemble& ensemble() override = 0;
    TemperingState tempering() const { return exchange_->tempering(); }
    void set_tempering(const TemperingState& state) { exchange_->set_tempering(state); }

  protected:
    void add_exchange(std::unique_ptr<Exchange> exchange) {
        exchange_ = exchange.get();
        add(std::move(exchange));
    }

  private:
    Exchange* exchange_ = nullptr;
};

/// Makes the sampler of Ising spins whose bonds are +1, -1 or 0. Collective. Errors: as make_ising_ensemble.
std::unique_ptr<IsingSampler> make_ising_sampler(const BatchSetup& setup);

}  // namespace psflip
