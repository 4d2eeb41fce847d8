// Declares the move of a sampler that exchanges clusters between replicas (sweep/houdayer.hpp).
#pragma once

#include <optional>

#include "evolution/move_sampler.hpp"

namespace psflip {

/// Makes Houdayer moves in an ensemble on any backend. Its state is the counts of clusters: pairs and random
/// numbers depend on the completed sweeps.
class Houdayer final : public Move {
  public:
    /// The ensemble must outlive the move. setup.every is positive.
    Houdayer(Ensemble& ensemble, const HoudayerSetup& setup)
        : Move(setup.every),
          ensemble_(ensemble),
          slots_(setup.slots(ensemble.betas())),
          before_(ensemble.shape().realizations, ensemble.shape().temperatures) {}

    void apply(std::int64_t completed) override {
        if (slots_ == 0) return;
        const HoudayerMove move{completed, slots_,
                                houdayer_pairs(ensemble_.shape().replicas, completed / period())};
        ensemble_.make_houdayer_move(move);
        for (int slot = 0; slot < slots_; ++slot) before_.moves[slot] += std::ssize(move.pairs);
    }
    std::optional<StateGroup> state() const override {
        HoudayerCounts counts = before_;
        counts.add(ensemble_.houdayer_counts());
        return group_of(counts, ensemble_.shape());
    }
    /// Counts begin at 0 if the state has none.
    void set_state(const SamplerState& state) override {
        before_ = houdayer_counts_of(state, ensemble_.shape());
        before_.add(ensemble_.houdayer_counts(), -1);
    }

  private:
    Ensemble& ensemble_;
    int slots_;
    /// Counts at set_state minus the counts of the ensemble then, with the moves of all calls of apply.
    HoudayerCounts before_;
};

}  // namespace psflip
