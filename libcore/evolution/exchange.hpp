#pragma once

#include "evolution/move.hpp"
#include "evolution/tempering_state.hpp"

namespace psflip {

/// Replica exchange between neighbouring temperatures. It is decided per realization and replica with random
/// numbers of purpose `exchange`, and exchanges the spins of two lattices bit by bit under a mask. Energies
/// follow the spins, walkers and counts are updated. Then the walkers at both ends are noted: a walker at
/// slot 0 that was last at the hottest slot ends a round trip. The start is not noted.
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

}  // namespace psflip
