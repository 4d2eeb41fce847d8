#pragma once

#include <memory>

#include "evolution/exchange_cuda.hpp"
#include "evolution/move_sampler.hpp"

namespace psflip {

/// Sampler of an ensemble whose energies lie on a GPU.
class DeviceSampler final : public IsingSampler {
  public:
    explicit DeviceSampler(std::unique_ptr<DeviceEnsemble> ensemble);

    IsingEnsemble& ensemble() override { return *ensemble_; }
    View view() override;
    View view_of_parts(bool alike) override;

  private:
    std::unique_ptr<DeviceEnsemble> ensemble_;
    const std::uint8_t* walkers_;
};

}  // namespace psflip
