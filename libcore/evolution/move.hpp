#pragma once

#include <cstdint>
#include <optional>

#include "evolution/sampler_state.hpp"

namespace psflip {

/// A change of the spins between two sweeps, such as the exchange of temperatures. A sampler applies its
/// moves in a fixed order. A move that draws random numbers has a purpose of its own (random/purposes.hpp),
/// and its numbers depend on the completed sweeps only, so that a resumed run equals an uninterrupted one.
class Move {
  public:
    virtual ~Move() = default;

    /// The sampler applies the move at all multiples of so many completed sweeps; 0: never.
    int period() const { return period_; }
    /// Applies the move. `completed` is a multiple of the period. Collective.
    virtual void apply(std::int64_t completed) = 0;
    /// Does `periods` times the sweeps of a period, from number `first` on (a multiple of the period), and
    /// the move, if a kernel can do both. Returns whether it did. Collective.
    virtual bool sweep_and_apply(std::int64_t /*first*/, int /*periods*/) { return false; }

    /// Returns what an exact continuation needs, if anything, and takes it over.
    virtual std::optional<StateGroup> state() const { return {}; }
    virtual void set_state(const SamplerState& /*state*/) {}

  protected:
    explicit Move(int period) : period_(period) {}

  private:
    int period_;
};

}  // namespace psflip
