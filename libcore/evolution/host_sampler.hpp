#pragma once

#include <memory>

#include "evolution/host_exchange.hpp"
#include "evolution/move_sampler.hpp"

namespace psflip {

/// Sampler of an ensemble whose energies lie in host memory.
class HostSampler final : public IsingSampler {
  public:
    HostSampler(std::unique_ptr<HostEnsemble> ensemble, int sweeps_per_swap);

    IsingEnsemble& ensemble() override { return *ensemble_; }
    View view() override;
    View view_of_spins() override { return view_with(ensemble_->column_spins(), nullptr); }

  private:
    CpuView view_with(const std::uint64_t* spins, LatticeCounts* counts);

    std::unique_ptr<HostEnsemble> ensemble_;
    const std::uint8_t* walkers_;
};

}  // namespace psflip
