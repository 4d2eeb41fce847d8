#include "evolution/annealing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace psflip {

double TemperaturePath::factor(std::int64_t sweep) const {
    const std::int64_t stage = factors.empty() ? 0 : sweep / stage_sweeps;
    return stage < std::ssize(factors) ? factors[static_cast<std::size_t>(stage)] : 1.0;
}

std::int64_t TemperaturePath::next_change(std::int64_t sweep) const {
    if (factors.empty() || sweep / stage_sweeps >= std::ssize(factors))
        return std::numeric_limits<std::int64_t>::max();
    return (sweep / stage_sweeps + 1) * stage_sweeps;
}

Annealing::Annealing(std::unique_ptr<Evolution> evolution, TemperaturePath path, std::int64_t start)
    : evolution_(std::move(evolution)),
      path_(std::move(path)),
      start_(start),
      betas_(evolution_->ensemble().betas()) {}

void Annealing::set_factor(double factor) {
    if (factor == factor_) return;
    std::vector<double> betas = betas_;
    for (double& beta : betas) beta /= factor;
    ensemble().set_betas(betas);
    factor_ = factor;
}

void Annealing::advance(std::int64_t first, std::int64_t target) {
    while (first < target) {
        const std::int64_t change = path_.next_change(first - start_);
        const std::int64_t end = change < target - start_ ? start_ + change : target;
        set_factor(path_.factor(first - start_));
        evolution_->advance(first, end);
        first = end;
    }
}

}  // namespace psflip
