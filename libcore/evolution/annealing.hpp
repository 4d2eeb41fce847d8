#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/evolution.hpp"

namespace psflip {

/// Factors of all temperatures, one after the other, each for so many sweeps; from then on the factor is 1.
struct TemperaturePath {
    std::vector<double> factors;
    std::int64_t stage_sweeps = 0;

    /// Of sweep number `sweep`, counted from the beginning of the path.
    double factor(std::int64_t sweep) const;
    /// The first sweep after `sweep` with another number of a stage; a large number on the last one.
    std::int64_t next_change(std::int64_t sweep) const;
};

/// Sweeps whose temperatures follow a path; random numbers are those of the same sweeps at fixed
/// temperatures. `evolution` must not exchange where there are factors.
class Annealing final : public Evolution {
  public:
    /// The path begins with sweep number `start`.
    Annealing(std::unique_ptr<Evolution> evolution, TemperaturePath path, std::int64_t start);

    void advance(std::int64_t first, std::int64_t target) override;
    Ensemble& ensemble() override { return evolution_->ensemble(); }
    TemperingState state() const override { return evolution_->state(); }
    void set_state(const TemperingState& state) override { evolution_->set_state(state); }
    std::variant<CpuView, CudaView> view() override { return evolution_->view(); }

  private:
    void set_factor(double factor);

    std::unique_ptr<Evolution> evolution_;
    TemperaturePath path_;
    std::int64_t start_;
    std::vector<double> betas_;  ///< with the factor 1
    double factor_ = 1.0;        ///< of the ensemble
};

}  // namespace psflip
