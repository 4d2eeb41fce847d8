#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "evolution/sampler.hpp"

namespace psflip {

/// A change of the spins between two sweeps, such as the exchange of temperatures. A sampler applies its
/// moves in a fixed order. A move that draws random numbers has its own purpose (random/purposes.hpp),
/// and its numbers depend on the completed sweeps only, so that a resumed run equals an uninterrupted one.
class Move {
  public:
    virtual ~Move() = default;

    /// Returns the number of sweeps from one application of the move to the next. If 0, the sampler never
    /// applies the move.
    int period() const { return period_; }
    /// Applies the move. `completed` is a multiple of the period. Collective.
    virtual void apply(std::int64_t completed) = 0;
    /// Repeats `periods` times: the sweeps of one period, from number `first` on (a multiple of the
    /// period), and then the move, if a kernel can do both. Returns whether it did. Collective.
    virtual bool sweep_and_apply(std::int64_t /*first*/, int /*periods*/) { return false; }

    /// Returns what an exact continuation needs, if anything, and takes it over.
    virtual std::optional<StateGroup> state() const { return {}; }
    virtual void set_state(const SamplerState& /*state*/) {}

  protected:
    explicit Move(int period) : period_(period) {}

  private:
    int period_;
};

/// Replica exchange between neighbouring temperatures, decided per realization and replica with random
/// numbers of purpose `exchange`. It exchanges the spins of two lattices bit by bit under a mask. Energies
/// follow the spins; walkers and counts are updated. A round trip of a walker leads from the coldest slot to
/// the hottest and back to the coldest; visits of the hottest slot before the first visit of the coldest do
/// not count.
class Exchange : public Move {
  public:
    std::optional<StateGroup> state() const final { return group_of(tempering(), shape_); }
    void set_state(const SamplerState& state) final { set_tempering(tempering_of(state)); }
    virtual TemperingState tempering() const = 0;
    virtual void set_tempering(const TemperingState& state) = 0;

  protected:
    /// One temperature is never exchanged.
    Exchange(const Shape& shape, int sweeps_per_swap)
        : Move(shape.temperatures > 1 ? sweeps_per_swap : 0), shape_(shape) {}

    /// Returns the parity of the pairs that are tried at `completed` sweeps: (t, t + 1) with t % 2 equal to
    /// it.
    int parity(std::int64_t completed) const { return static_cast<int>(completed / period() % 2); }

    Shape shape_;
};

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
/// Makes the sampler of Ising spins with energies in host memory.
std::unique_ptr<IsingSampler> make_host_sampler(const BatchSetup& setup);
/// Makes the sampler of Ising spins with energies on a GPU, with the kernel of the setup. If the setup leaves
/// the choice, whole lattices use the plan that earlier calls stored (sweep/plan_cache.hpp). Otherwise long
/// calls measure the best predicted plans and store the fastest. Plans do not change results. Errors: as
/// make_ising_ensemble.
std::unique_ptr<IsingSampler> make_device_sampler(const BatchSetup& setup);
/// Makes the sampler of vector spins or real couplings.
std::unique_ptr<Sampler> make_vector_sampler(const BatchSetup& setup);

}  // namespace psflip
