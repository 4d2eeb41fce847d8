#include "evolution/annealing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sweep/vector/vector_batch.hpp"

namespace psflip {

namespace {

double factor_at(const std::vector<double>& factors, std::int64_t stage_sweeps, std::int64_t sweep) {
    const std::int64_t stage = factors.empty() ? 0 : sweep / stage_sweeps;
    return stage < std::ssize(factors) ? factors[static_cast<std::size_t>(stage)] : 1.0;
}

}  // namespace

double TemperaturePath::factor(std::int64_t sweep) const {
    return factor_at(factors, stage_sweeps, sweep);
}

double TemperaturePath::field_factor(std::int64_t sweep) const {
    return factor_at(fields, stage_sweeps, sweep);
}

std::int64_t TemperaturePath::next_change(std::int64_t sweep) const {
    const auto stages = std::max(std::ssize(factors), std::ssize(fields));
    if (stages == 0 || sweep / stage_sweeps >= stages) return std::numeric_limits<std::int64_t>::max();
    return (sweep / stage_sweeps + 1) * stage_sweeps;
}

Annealing::Annealing(std::unique_ptr<Sampler> sampler, TemperaturePath path, std::int64_t start)
    : sampler_(std::move(sampler)),
      path_(std::move(path)),
      start_(start),
      betas_(sampler_->ensemble().betas()) {}

void Annealing::set_factor(double factor) {
    if (factor == factor_) return;
    std::vector<double> betas = betas_;
    for (double& beta : betas) beta /= factor;
    ensemble().set_betas(betas);
    factor_ = factor;
}

void Annealing::set_field_factor(double factor) {
    if (factor == field_factor_) return;
    std::get<VectorView>(sampler_->view()).batch->set_field_factor(factor);
    field_factor_ = factor;
}

void Annealing::advance(std::int64_t first, std::int64_t target) {
    while (first < target) {
        const std::int64_t change = path_.next_change(first - start_);
        const std::int64_t end = change < target - start_ ? start_ + change : target;
        set_factor(path_.factor(first - start_));
        set_field_factor(path_.field_factor(first - start_));
        sampler_->advance(first, end);
        first = end;
    }
}

}  // namespace psflip
