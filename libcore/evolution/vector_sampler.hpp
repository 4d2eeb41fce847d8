#pragma once

#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "evolution/move_sampler.hpp"
#include "evolution/vector_exchange.hpp"

namespace psflip {

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
