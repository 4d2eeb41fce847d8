#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "evolution/evolution.hpp"

namespace psflip {

/// Factors of all temperatures and of the field, one after the other, each for so many sweeps; from then on
/// they are 1.
struct TemperaturePath {
    std::vector<double> factors;
    std::int64_t stage_sweeps = 0;
    std::vector<double> fields{};

    /// Of sweep number `sweep`, counted from the beginning of the path.
    double factor(std::int64_t sweep) const;
    double field_factor(std::int64_t sweep) const;
    /// The first sweep after `sweep` with another number of a stage; a large number on the last one.
    std::int64_t next_change(std::int64_t sweep) const;
};

/// Sweeps whose temperatures and field follow a path; random numbers are those of the same sweeps at fixed
/// temperatures. `evolution` must not exchange where there are factors.
class Annealing final : public Evolution {
  public:
    /// The path begins with sweep number `start`. set_field gives the ensemble this factor of its field; not
    /// needed for paths without such factors.
    Annealing(std::unique_ptr<Evolution> evolution, TemperaturePath path, std::int64_t start,
              std::function<void(double)> set_field = {});

    void advance(std::int64_t first, std::int64_t target) override;
    Ensemble& ensemble() override { return evolution_->ensemble(); }
    TemperingState state() const override { return evolution_->state(); }
    void set_state(const TemperingState& state) override { evolution_->set_state(state); }
    std::variant<CpuView, CudaView> view() override { return evolution_->view(); }
    std::variant<CpuView, CudaView> view_of_spins() override { return evolution_->view_of_spins(); }
    std::variant<CpuView, CudaView> view_of_parts(bool alike) override {
        return evolution_->view_of_parts(alike);
    }

  private:
    void set_factor(double factor);
    void set_field_factor(double factor);

    std::unique_ptr<Evolution> evolution_;
    TemperaturePath path_;
    std::int64_t start_;
    std::vector<double> betas_;  ///< with the factor 1
    double factor_ = 1.0;        ///< of the ensemble
    std::function<void(double)> set_field_;
    double field_factor_ = 1.0;
};

}  // namespace psflip
