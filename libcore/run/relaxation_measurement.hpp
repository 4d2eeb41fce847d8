#pragma once

#include <memory>
#include <vector>

#include "measure/correlations.hpp"
#include "measure/measurement.hpp"
#include "run/simulation.hpp"

namespace psflip {

/// What relaxations of this model measure: without products, histograms and lowest energies, which are for
/// averages over time, and with correlations in space and time.
Measured relaxation_measured(const Model& model, bool magnetisation, const Shape& shape, int waiting);

/// Of vector spins, which VectorMeasurement measures by itself, without these correlations.
Measured vector_relaxation_measured(const Model& model);

/// The measurement of a backend together with the correlations, a bin for each time.
class RelaxationMeasurement final : public Measurement {
  public:
    /// Both are of one evolution, which must outlive this.
    RelaxationMeasurement(std::unique_ptr<Measurement> averages, std::unique_ptr<Correlations> correlations,
                          const Measured& measured, const Shape& shape, int bins);

    /// Where the spins at waiting times are, in their order; more come while it measures.
    void compare_with(const std::vector<Snapshot>& waiting) { waiting_ = &waiting; }

    void measure(int bin) override;
    void snapshot_taken() override;
    Accumulators accumulators() const override;
    Accumulators take(ThreadPool& pool) override;
    void set_accumulators(const Accumulators& accumulators) override;

  private:
    Accumulators with_correlations(Accumulators sums) const;

    std::unique_ptr<Measurement> averages_;
    std::unique_ptr<Correlations> correlations_;
    Measured measured_;
    Shape shape_;
    const std::vector<Snapshot>* waiting_ = nullptr;
};

/// On the evolution's backend, which must outlive it. measured: of relaxation_measured; threads: see
/// make_correlations.
std::unique_ptr<RelaxationMeasurement> make_relaxation_measurement(Evolution& evolution,
                                                                   const Measured& measured, int bins,
                                                                   int threads = 0);

}  // namespace psflip
