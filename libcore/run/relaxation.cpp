#include "run/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace psflip {

std::vector<std::int64_t> logarithmic_times(const RelaxSection& relax, bool even, std::int64_t last) {
    const std::int64_t unit = even ? 2 : 1;
    std::vector<std::int64_t> times;
    for (int k = 0;; ++k) {
        const double exact =
            static_cast<double>(relax.first) * std::pow(10.0, static_cast<double>(k) / relax.per_decade);
        const std::int64_t time = unit * std::llround(exact / static_cast<double>(unit));
        if (time > last) return times;
        if (times.empty() || time > times.back()) times.push_back(time);
    }
}

std::vector<std::int64_t> relax_times(const RelaxSection& relax, bool even) {
    std::vector<std::int64_t> times;
    if (relax.measure_every > 0)
        for (std::int64_t time = relax.measure_every; time <= relax.last; time += relax.measure_every)
            times.push_back(time);
    else
        times = logarithmic_times(relax, even, relax.last);
    for (const std::int64_t waiting : relax.waiting) {
        if (waiting > relax.last) break;
        if (waiting > 0) times.push_back(waiting);
        if (relax.measure_every > 0) continue;
        for (const std::int64_t time : logarithmic_times(relax, even, relax.last - waiting))
            times.push_back(waiting + time);
    }
    std::ranges::sort(times);
    times.erase(std::ranges::unique(times).begin(), times.end());
    return times;
}

/// The grid has a time within a factor of ten, apart from rounding; equal steps have one within a step.
std::int64_t next_relax_time(const RelaxSection& relax, bool even, std::int64_t past) {
    RelaxSection longer = relax;
    longer.last =
        relax.measure_every > 0 ? past + relax.measure_every : 10 * std::max(past, relax.first) + 12;
    const std::vector<std::int64_t> times = relax_times(longer, even);
    return *std::ranges::upper_bound(times, past);
}

TemperaturePath path_of(const RelaxSection& relax) {
    return {relax.temperature_factors(), relax.stage_sweeps, relax.fields};
}

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
    : averages_(std::move(averages)), correlations_(std::move(correlations)), measured_(measured) {
    Measured lean = measured;
    lean.distances = lean.waiting = 0;
    averages_->set_accumulators(empty_accumulators(shape, lean, bins, 1));
}

std::unique_ptr<Measurement> make_relaxation_measurement(Sampler& sampler, const Measured& measured,
                                                         int bins) {
    if (measured.vectors()) return make_vector_measurement(sampler, measured, bins);
    const bool magnetisation = measured.overlaps && !measured.field && measured.magnetisation;
    return std::make_unique<RelaxationMeasurement>(make_measurement(sampler, bins, 1, magnetisation),
                                                   make_correlations(sampler, measured, bins), measured,
                                                   sampler.ensemble().shape(), bins);
}

void RelaxationMeasurement::measure(int bin) {
    averages_->measure(bin);
    correlations_->measure(bin);
}

void RelaxationMeasurement::add_snapshot(const Spins& held) {
    correlations_->remember(held.bits);
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
