#pragma once

#include "evolution/move.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

/// Converts the cones of vector spins (VectorBatch::cones) to and from the group "moves" of a sampler's
/// state.
StateGroup group_of(ConeState cones, const Shape& shape);
ConeState cones_of(const SamplerState& state);

/// Tunes the cones of vector spins at all multiples of tuning_period completed sweeps up to
/// VectorProgram::tuned_until.
class ConeTuning final : public Move {
  public:
    /// The batch must outlive the move.
    ConeTuning(VectorBatch& batch, const VectorProgram& program)
        : Move(program.update == VectorUpdate::cone && program.tuned_until > 0 ? tuning_period : 0),
          batch_(batch),
          until_(program.tuned_until) {}

    void apply(std::int64_t completed) override {
        if (completed <= until_) batch_.tune_cones();
    }
    std::optional<StateGroup> state() const override { return group_of(batch_.cones(), batch_.shape()); }
    void set_state(const SamplerState& state) override { batch_.set_cones(cones_of(state)); }

  private:
    VectorBatch& batch_;
    std::int64_t until_;
};

}  // namespace psflip
