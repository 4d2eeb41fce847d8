#pragma once

#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "evolution/move_sampler.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

/// Exchange of vector spins, and of Ising spins with real couplings, on either backend. The host decides with
/// real energies (exchange_accepted in model/exchange_rule.hpp), and the spins of states change places in the
/// backend's memory. Every backend gives the same bits.
class VectorExchange final : public Exchange {
  public:
    /// The batch must outlive the exchange.
    VectorExchange(VectorBatch& batch, int sweeps_per_swap)
        : Exchange(batch.shape(), sweeps_per_swap), batch_(batch), state_(initial_tempering(shape_)) {}

    void apply(std::int64_t completed) override;
    TemperingState tempering() const override { return state_; }
    void set_tempering(const TemperingState& state) override { state_ = state; }
    const std::vector<std::uint8_t>& walkers() const { return state_.walker; }

  private:
    /// Decides on the pairs of one replica of a realization.
    void exchange_lattices(std::int64_t completed, std::int64_t realization, int replica,
                           std::vector<StatePair>& accepted);
    void note_ends(std::int64_t lattice);

    VectorBatch& batch_;
    TemperingState state_;
};

/// Sampler of vector spins, and of Ising spins with real couplings.
class VectorSampler final : public MoveSampler {
  public:
    /// Cones are tuned as the program says.
    VectorSampler(std::unique_ptr<VectorBatch> batch, const BatchSetup& setup);

    VectorBatch& ensemble() override { return *batch_; }
    /// A VectorView, or for Ising spins a CpuView.
    View view() override;

  private:
    /// Spins, energies and walkers of Ising spins in the order of CpuView.
    struct Words {
        Words(const Shape& shape, int threads);

        ThreadPool pool;
        SpinLayout layout;
        AlignedVector<std::uint64_t> spins;
        std::vector<double> energies;
        std::vector<std::uint8_t> walkers;
        std::vector<std::int32_t> bonds;
    };
    CpuView view_of(Words& words) const;

    std::unique_ptr<VectorBatch> batch_;
    const std::vector<std::uint8_t>* walkers_;  ///< (realization, replica, slot)
    std::unique_ptr<Words> words_;              ///< from the first view on
};

}  // namespace psflip
