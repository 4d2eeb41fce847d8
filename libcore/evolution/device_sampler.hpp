#pragma once

#include <memory>
#include <vector>

#include "evolution/move_sampler.hpp"
#include "sweep/device_ensemble.hpp"

namespace psflip {

/// Exchange on the GPU, in the ensemble's streams; nothing comes to the host before tempering().
class DeviceExchange final : public Exchange {
  public:
    /// Takes the period from DeviceEnsemble::sweeps_per_swap. The ensemble must outlive the exchange.
    explicit DeviceExchange(DeviceEnsemble& ensemble);
    ~DeviceExchange() override;

    void apply(std::int64_t completed) override;
    bool sweep_and_apply(std::int64_t first, int periods) override;
    TemperingState tempering() const override;
    void set_tempering(const TemperingState& state) override;
    /// In device memory, (column, replica, slot, lane).
    const std::uint8_t* device_walkers() const;

  private:
    struct Memory;
    void make_tables();  ///< of exchange by tables
    void make_rule();    ///< of exchange by the rule
    void count_attempts(std::int64_t completed);

    DeviceEnsemble& ensemble_;
    std::vector<std::int64_t> attempted_;
    std::unique_ptr<Memory> memory_;
};

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
