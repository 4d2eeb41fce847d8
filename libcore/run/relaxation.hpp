// Computes the times at which `relax` measures, and makes its measurement. All times are sweeps since the
// start of the relaxation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/sections.hpp"
#include "evolution/annealing.hpp"
#include "measure/correlations.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// Returns the times round(first 10^(k / per_decade)), k = 0, 1, ..., up to `last`, each once. even: rounds
/// to even numbers. A larger `last` only appends times.
std::vector<std::int64_t> logarithmic_times(const RelaxSection& relax, bool even, std::int64_t last);

/// Returns all times up to relax.last at which a relaxation measures, ascending. The times are t, t_w and t_w
/// + t, for the logarithmic_times t and the waiting times t_w. If relax.measure_every is not 0, the times are
/// t_w and the multiples of relax.measure_every. The list may be empty.
std::vector<std::int64_t> relax_times(const RelaxSection& relax, bool even);

/// Returns the first time after `past` (0 or more) at which a relaxation with a larger relax.last measures.
std::int64_t next_relax_time(const RelaxSection& relax, bool even, std::int64_t past);

/// Returns the path of temperatures and field that the keys of the section `relax` describe.
TemperaturePath path_of(const RelaxSection& relax);

/// Returns what relaxations of this model measure. Ising spins have correlations in space and time. Products,
/// histograms and lowest energies are absent, because they serve averages over time. waiting: number of
/// waiting times.
Measured relaxation_measured(const Model& model, bool magnetisation, const Shape& shape, int waiting);

/// Measures a relaxation, with one bin for each time. The measurement of the backend keeps its sums in the
/// memory of the backend. Correlations are in host memory.
class RelaxationMeasurement final : public Measurement {
  public:
    /// `averages` and `correlations` belong to one sampler, which must outlive this object.
    RelaxationMeasurement(std::unique_ptr<Measurement> averages, std::unique_ptr<Correlations> correlations,
                          const Measured& measured, const Shape& shape, int bins);

    void measure(int bin) override;
    void snapshot_taken() override { correlations_->remember_present(); }
    void add_snapshot(const Spins& held) override;
    Accumulators accumulators() const override;
    Accumulators take(ThreadPool& pool) override;
    void set_accumulators(const Accumulators& accumulators) override;

  private:
    Accumulators with_correlations(Accumulators sums) const;

    std::unique_ptr<Measurement> averages_;
    std::unique_ptr<Correlations> correlations_;
    Measured measured_;
};

/// Makes the measurement of a relaxation. The sampler must outlive it. Collective. measured: see
/// relaxation_measured. Errors: as make_measurement and make_correlations.
std::unique_ptr<Measurement> make_relaxation_measurement(Sampler& sampler, const Measured& measured,
                                                         int bins);

}  // namespace psflip
