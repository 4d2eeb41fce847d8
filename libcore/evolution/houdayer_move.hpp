// Declares the move of a sampler that exchanges clusters between replicas (sweep/houdayer.hpp).
#pragma once

#include "evolution/move_sampler.hpp"

namespace psflip {

/// Makes Houdayer moves in an ensemble on any backend. It has no state: pairs and random
/// numbers depend on the completed sweeps.
class Houdayer final : public Move {
  public:
    /// The ensemble must outlive the move. setup.every is positive.
    Houdayer(Ensemble& ensemble, const HoudayerSetup& setup)
        : Move(setup.every), ensemble_(ensemble), slots_(setup.slots(ensemble.betas())) {}

    void apply(std::int64_t completed) override {
        if (slots_ == 0) return;
        ensemble_.make_houdayer_move(
            {completed, slots_, houdayer_pairs(ensemble_.shape().replicas, completed / period())});
    }

  private:
    Ensemble& ensemble_;
    int slots_;
};

}  // namespace psflip
