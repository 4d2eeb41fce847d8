// Declares the ensemble of vector spins and of Ising spins with real couplings.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sweep/ensemble.hpp"
#include "sweep/vector/vector_ensemble.hpp"

namespace psflip {

/// Sweeps between two tunings of the cone of a state. A tuning multiplies the width by twice the acceptance
/// since the last tuning. The factor is limited to 1/2 to 2. So about half of the proposals are accepted.
/// Every state has its own width, which does not depend on the rest of its batch.
inline constexpr int tuning_period = 16;
double tuned_width(double width, double acceptance);

/// Holds the cones of the proposals of vector spins. Both arrays have the axes (realization, replica, slot)
/// and are empty for Ising spins.
struct ConeState {
    /// 1 - cosine of the largest angle to the old direction, above 0 and at most 2.
    std::vector<double> widths;
    std::vector<std::int64_t> renewed;  ///< proposals accepted since the widths were tuned last
    bool operator==(const ConeState&) const = default;
};
/// Returns cones of this width with all counts 0.
ConeState initial_cones(const Shape& shape, double width);
/// Returns the width with which the proposals of a study begin.
double first_cone_width(const VectorProgram& program);

/// Return the setup, without its batch and disorder, and the program of a study with model.kind = heisenberg
/// or model.couplings = gaussian.
VectorSetup vector_setup_of(const Parameters& parameters);
VectorProgram vector_program_of(const Parameters& parameters);

/// Holds a batch of vector spins (Spins::vectors), or of Ising spins with real couplings (Spins::bits), and
/// sweeps it by a study's program.
class VectorBatch final : public Ensemble {
  public:
    /// Takes shape, betas, seed, model and program from the setup, and all else from BatchSetup::vectors,
    /// which has the same slab as the shape. Functions that need all ranks (VectorEnsemble) are collective,
    /// also set_held_spins and cones. Errors: as make_vector_ensemble, check_update and check_houdayer.
    explicit VectorBatch(const BatchSetup& setup);

    Backend backend() const override { return vectors_->backend(); }
    void set_held_spins(const Spins& held) override;
    Spins held_spins() const override;
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    void make_houdayer_move(const HoudayerMove& move) override;
    HoudayerCounts houdayer_counts() const override { return vectors_->houdayer_counts(); }
    /// Sets the field to the field of the study times a factor from -1 to 1.
    void set_field_factor(double factor);
    void compute_energies() override;
    ConeState cones() const;
    void set_cones(const ConeState& cones);
    /// Tunes the width of each cone by the proposals of the last tuning_period sweeps; see tuned_width.
    void tune_cones();
    void synchronize() const override { vectors_->synchronize(); }
    std::string description() const override { return vectors_->description(); }
    int threads() const override { return threads_; }

    const VectorSetup& setup() const { return vectors_->setup(); }
    /// Return the sums and the energy H of a state. Call them only after compute_energies.
    VectorSums sums_of(std::int64_t state) const {
        return vectors_->sums_of(sums_.data() + state * vector_sums);
    }
    double energy_of(std::int64_t state) const {
        return vectors_->energy_of(sums_.data() + state * vector_sums);
    }
    /// Exchanges spins and sums of states. No state may be in two pairs.
    void swap_states(const std::vector<StatePair>& pairs);
    std::int64_t state(std::int64_t realization, int replica, int slot) const {
        return (std::int64_t{replica} * shape_.temperatures + slot) * shape_.realizations + realization;
    }
    /// Returns VectorEnsemble::spins.
    std::vector<double> real_spins() const { return vectors_->spins(); }

  private:
    void take_renewed() const;
    /// Calls f(index in ConeState, state) for all states.
    template <class F>
    void for_each_cone(F f) const;

    std::unique_ptr<VectorEnsemble> vectors_;
    VectorProgram program_;
    int threads_;
    std::vector<double> widths_;                 ///< (state)
    mutable std::vector<std::int64_t> renewed_;  ///< (state): proposals accepted since the last tuning
    std::vector<std::int64_t> sums_;             ///< (state, sum)
    bool summed_ = false;                        ///< sums_ belong to the present spins
};

/// Returns random spins of a batch, as VectorBatch::held_spins.
Spins random_held_spins(const Shape& shape, const VectorSetup& setup);

}  // namespace psflip
