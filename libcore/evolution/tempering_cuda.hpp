#pragma once

#include "evolution/tempering.hpp"
#include "sweep/device_ensemble.hpp"

namespace psflip {

/// Tempering on the GPU, in the ensemble's streams; nothing comes to the host before state().
class CudaTempering final : public IsingTempering {
  public:
    /// With the sweeps_per_swap of the ensemble.
    explicit CudaTempering(std::unique_ptr<DeviceEnsemble> ensemble);
    ~CudaTempering() override;

    IsingEnsemble& ensemble() override { return *ensemble_; }
    SamplerState state() const override { return {{group_of(tempering(), ensemble_->shape())}}; }
    TemperingState tempering() const override;
    void set_tempering(const TemperingState& state) override;
    View view() override;
    View view_of_parts(bool alike) override;

  private:
    struct Memory;
    void make_tables();  ///< of exchange by tables
    void make_rule();    ///< of exchange by the rule
    void exchange(std::int64_t completed) override;
    void sweep_and_exchange(std::int64_t first, int periods) override;
    void count_attempts(std::int64_t completed);

    std::unique_ptr<DeviceEnsemble> ensemble_;
    std::vector<std::int64_t> attempted_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace psflip
