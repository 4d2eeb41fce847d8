#pragma once

#include <array>
#include <vector>

#include "base/thread_pool.hpp"
#include "evolution/sampler.hpp"
#include "measure/measurement.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

/// Measurement of vector spins, on the host: energies and magnetisations from the backend's sums, the modes
/// at the smallest wave vectors from the spins. Sums of spins are those of integers (FixedPoint), so that
/// every backend gives the same bits.
class VectorMeasurement : public Measurement {
  public:
    /// The view of the sampler is a VectorView.
    VectorMeasurement(Sampler& sampler, const Measured& measured, int bins);

    void measure(int bin) override;
    Accumulators accumulators() const override { return sums_; }
    Accumulators take(ThreadPool&) override { return std::move(sums_); }
    void set_accumulators(const Accumulators& accumulators) override { sums_ = accumulators; }

  private:
    /// Squares of the modes at the smallest wave vectors, by axis, divided by N^2.
    struct Modes {
        std::array<double, 3> all{}, staggered{};
    };
    Modes modes_of(const double* spins) const;
    void add_state(int bin, std::int64_t state, const double* spins);
    /// From the spins of all states.
    void add_tensors(int bin, const std::vector<double>& spins);
    void add_walkers(int bin);

    VectorView view_;
    VectorSetup setup_;  ///< without its disorder
    FixedPoint unit_;
    std::vector<double> fourier_;
    ThreadPool pool_;
    Accumulators sums_;
};

}  // namespace psflip
