#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/sampler.hpp"

namespace psflip {

/// Describes a path of temperatures and field. Stage k lasts stage_sweeps sweeps; it multiplies all
/// temperatures by factors[k] and the field by fields[k]. An empty list stands for factors of 1, and after
/// the last stage all factors are 1.
struct TemperaturePath {
    std::vector<double> factors;
    std::int64_t stage_sweeps = 0;
    std::vector<double> fields{};

    /// Return the factors in sweep number `sweep`, counted from the beginning of the path.
    double factor(std::int64_t sweep) const;
    double field_factor(std::int64_t sweep) const;
    /// Returns the first sweep of the next stage, or a large number after the last stage.
    std::int64_t next_change(std::int64_t sweep) const;
};

/// Sweeps while temperatures and field follow a path. Random numbers are the same as at fixed temperatures.
/// If the path has factors of the temperatures, `sampler` must not exchange temperatures.
class Annealing final : public Sampler {
  public:
    /// start: completed sweeps at which the path begins. Only vector spins may have factors of the field.
    /// Takes over the sampler.
    Annealing(std::unique_ptr<Sampler> sampler, TemperaturePath path, std::int64_t start);

    void advance(std::int64_t first, std::int64_t target) override;
    Ensemble& ensemble() override { return sampler_->ensemble(); }
    SamplerState state() const override { return sampler_->state(); }
    void set_state(const SamplerState& state) override { sampler_->set_state(state); }
    View view() override { return sampler_->view(); }
    View view_of_parts(bool alike) override { return sampler_->view_of_parts(alike); }

  private:
    void set_factor(double factor);
    void set_field_factor(double factor);

    std::unique_ptr<Sampler> sampler_;
    TemperaturePath path_;
    std::int64_t start_;
    std::vector<double> betas_;  ///< of the study, without a factor
    double factor_ = 1.0;        ///< factor that the ensemble has now
    double field_factor_ = 1.0;
};

}  // namespace psflip
