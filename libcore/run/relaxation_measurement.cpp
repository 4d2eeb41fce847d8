#include "run/relaxation_measurement.hpp"

#include "lattice/site_bits.hpp"

#include <utility>

namespace psflip {

Measured relaxation_measured(const Model& model, bool magnetisation, const Shape& shape, int waiting) {
    Measured measured = measured_of(model, magnetisation);
    measured.later = false;
    measured.slopes = false;
    measured.distances = measured.overlaps && shape.replicas < 2 ? 0 : shape.L / 2;
    measured.waiting = waiting;
    return measured;
}

Measured vector_relaxation_measured(const Model& model) {
    Measured measured = measured_of(model, false);
    measured.slopes = measured.directions = measured.overlap_tensor = false;
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

std::unique_ptr<RelaxationMeasurement> make_relaxation_measurement(Evolution& evolution,
                                                                   const Measured& measured, int bins,
                                                                   int threads) {
    const bool magnetisation = measured.overlaps && !measured.field && measured.magnetisation;
    return std::make_unique<RelaxationMeasurement>(make_measurement(evolution, bins, 1, magnetisation),
                                                   make_correlations(evolution, measured, bins, threads),
                                                   measured, evolution.ensemble().shape(), bins);
}

void RelaxationMeasurement::measure(int bin) {
    averages_->measure(bin);
    for (auto i = static_cast<std::size_t>(correlations_->remembered()); i < waiting_->size(); ++i)
        correlations_->remember(canonical_of(shape_, (*waiting_)[i].spins));
    correlations_->measure(bin);
}

/// The last of those to compare with: it need not come from host memory.
void RelaxationMeasurement::snapshot_taken() {
    if (correlations_->remembered() + 1 == std::ssize(*waiting_)) correlations_->remember_present();
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
