#include "run/relaxation_measurement.hpp"

#include "lattice/site_bits.hpp"

#include <utility>

namespace psflip {

Measured relaxation_measured(const Model& model, bool magnetisation, const Shape& shape, int waiting) {
    Measured measured = measured_of(model, magnetisation && !shape.has_vectors());
    measured.equilibrium = false;
    if (shape.has_vectors()) return measured;
    measured.distances = measured.overlaps && shape.replicas < 2 ? 0 : shape.L / 2;
    measured.waiting = waiting;
    return measured;
}

RelaxationMeasurement::RelaxationMeasurement(std::unique_ptr<Measurement> averages,
                                             std::unique_ptr<Correlations> correlations,
                                             const Measured& measured, const Shape& shape, int bins)
    : averages_(std::move(averages)),
      correlations_(std::move(correlations)),
      measured_(measured),
      shape_(shape) {
    Measured lean = measured;
    lean.distances = lean.waiting = 0;
    averages_->set_accumulators(empty_accumulators(shape, lean, bins, 1));
}

std::unique_ptr<Measurement> make_relaxation_measurement(Sampler& sampler, const Measured& measured, int bins,
                                                         int threads) {
    if (measured.vectors()) return make_vector_measurement(sampler, measured, bins);
    const bool magnetisation = measured.overlaps && !measured.field && measured.magnetisation;
    return std::make_unique<RelaxationMeasurement>(make_measurement(sampler, bins, 1, magnetisation),
                                                   make_correlations(sampler, measured, bins, threads),
                                                   measured, sampler.ensemble().shape(), bins);
}

void RelaxationMeasurement::measure(int bin) {
    averages_->measure(bin);
    correlations_->measure(bin);
}

void RelaxationMeasurement::add_snapshot(const Spins& held) {
    correlations_->remember(canonical_of(shape_, held.bits));
}

Accumulators RelaxationMeasurement::with_correlations(Accumulators sums) const {
    const Accumulators& own = correlations_->sums();
    sums.measured = measured_;
    for (int i = 0; i < n_sums; ++i)
        if (!own.integers[i].empty()) sums.integers[i] = own.integers[i];
    return sums;
}

Accumulators RelaxationMeasurement::accumulators() const {
    return with_correlations(averages_->accumulators());
}

Accumulators RelaxationMeasurement::take(ThreadPool& pool) {
    return with_correlations(averages_->take(pool));
}

void RelaxationMeasurement::set_accumulators(const Accumulators& accumulators) {
    correlations_->set_sums(accumulators);
    averages_->set_accumulators(accumulators);
}

}  // namespace psflip
