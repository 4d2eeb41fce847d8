#pragma once

#include <memory>

#include "sweep/ensemble.hpp"
#include "sweep/vector/vector_ensemble.hpp"

namespace psflip {

/// How the spins of a study's batch are swept.
struct VectorProgram {
    VectorUpdate update = VectorUpdate::metropolis;
    int over_relaxation = 0;  ///< sweeps of it after each of these
    /// Widths of cones are tuned at all multiples of tuning_period completed sweeps up to this one.
    std::int64_t tuned_until = 0;
};

/// Sweeps from one tuning of a state's cone to the next: its width is multiplied by twice the acceptance
/// since the last one, a factor of at least 1/2 and at most 2, so that half of the proposals come to be
/// accepted. Every state has a width of its own, so that it does not depend on what else is in its batch.
inline constexpr std::int64_t tuning_period = 16;
inline constexpr double least_width = 0x1p-20;
double tuned_width(double width, double acceptance);

/// The parts of a study's parameters that make a VectorSetup without its batch; of model.kind = heisenberg
/// or model.couplings = gaussian.
VectorSetup vector_setup_of(const Parameters& parameters);
VectorProgram vector_program_of(const Parameters& parameters);

/// A batch of vector spins, or of Ising spins with real couplings, as the loop of runs has it: spins are
/// words as Shape::form says (the 64 bits of doubles; of Ising spins a bit each), sweeps are those of the
/// program.
class VectorBatch final : public Ensemble {
  public:
    /// The shape tells realizations and replicas, `setup` all else.
    /// The shape is never that of a slab: ranks share sweeps, and each has all spins (VectorEnsemble), so
    /// that all functions that have to do with spins are collective.
    VectorBatch(const BackendChoice& choice, const Shape& shape, const VectorSetup& setup, const Model& model,
                const VectorProgram& program, Ranks& ranks = single_rank());

    Backend backend() const override { return vectors_->backend(); }
    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    /// The study's field times a factor from -1 to 1.
    void set_field_factor(double factor);
    void compute_energies() override;
    /// None; see sums().
    std::vector<std::int32_t> energies() const override { return {}; }
    /// Of Ising spins none.
    MoveState moves() const override;
    void set_moves(const MoveState& moves) override;
    void synchronize() const override { vectors_->synchronize(); }
    std::string description() const override { return vectors_->description(); }
    int threads() const override { return threads_; }

    const VectorSetup& setup() const { return vectors_->setup(); }
    /// After compute_energies, (state).
    const std::vector<VectorSums>& sums() const { return sums_; }
    /// Exchanges spins and sums of states.
    void swap_states(const std::vector<StatePair>& pairs);
    std::int64_t state(std::int64_t realization, int replica, int slot) const {
        return (std::int64_t{replica} * shape_.temperatures + slot) * shape_.realizations + realization;
    }
    /// Spins as VectorEnsemble::spins gives them.
    std::vector<double> real_spins() const { return vectors_->spins(); }

  private:
    void sweep_to(std::int64_t first, std::int64_t target);
    void take_renewed() const;
    void tune();
    /// f(number in the order of MoveState, state) for all states.
    template <class F>
    void for_each_move(F f) const;

    std::unique_ptr<VectorEnsemble> vectors_;
    VectorProgram program_;
    int threads_;
    std::vector<double> widths_;                 ///< (state)
    mutable std::vector<std::int64_t> renewed_;  ///< (state) proposals accepted since the last tuning
    std::vector<VectorSums> sums_;
    bool summed_ = false;  ///< sums_ are those of the spins
};

/// Random spins of a batch, as Ensemble::spins, and the moves it begins with.
std::vector<std::uint64_t> random_vector_words(const Shape& shape, const VectorSetup& setup);
MoveState initial_moves(const Shape& shape, const VectorProgram& program);

}  // namespace psflip
