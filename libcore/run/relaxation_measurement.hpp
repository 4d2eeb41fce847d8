#pragma once

#include <memory>
#include <vector>

#include "measure/correlations.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// Returns what relaxations of this model measure. There are no products, histograms and lowest energies,
/// which are for averages over time. Ising spins have correlations in space and time.
Measured relaxation_measured(const Model& model, bool magnetisation, const Shape& shape, int waiting);

/// The measurement of a backend together with the correlations, a bin for each time.
class RelaxationMeasurement final : public Measurement {
  public:
    /// Both are of one sampler, which must outlive this.
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
    Shape shape_;
};

/// Makes the measurement of a relaxation; the sampler must outlive it. measured: see relaxation_measured.
/// threads: see make_correlations.
std::unique_ptr<Measurement> make_relaxation_measurement(Sampler& sampler, const Measured& measured, int bins,
                                                         int threads = 0);

}  // namespace psflip
