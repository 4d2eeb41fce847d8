#pragma once

#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "evolution/tempering.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

/// Tempering of vector spins, and of Ising spins with real couplings, on either backend: energies are real
/// numbers, decided on by the host (exchange_accepted in model/exchange_rule.hpp), and the spins of states
/// change places in the backend's memory. The same bits on every backend.
class VectorTempering final : public Tempering {
  public:
    VectorTempering(std::unique_ptr<VectorBatch> batch, int sweeps_per_swap);

    VectorBatch& ensemble() override { return *batch_; }
    SamplerState state() const override;
    void set_state(const SamplerState& state) override;
    /// A VectorView, or for Ising spins a CpuView.
    View view() override;

  private:
    void exchange(std::int64_t completed) override;
    /// Decides on the pairs of one replica of a realization.
    void exchange_lattices(std::int64_t completed, std::int64_t realization, int replica,
                           std::vector<StatePair>& accepted);
    void note_ends(std::int64_t lattice);

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
    std::unique_ptr<Words> words_;  ///< from the first view on
    TemperingState state_;
};

}  // namespace psflip
