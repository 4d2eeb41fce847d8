#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "sweep/vector/vector_ensemble.hpp"

namespace psflip::physics {

using enum VectorUpdate;

/// Holds a mean over independent realizations, and its standard error.
struct Mean {
    double value = 0, error = 0;
};

inline Mean mean_of(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    double sum = 0, squares = 0;
    for (double x : values) sum += x;
    for (double x : values) squares += (x - sum / n) * (x - sum / n);
    return {sum / n, std::sqrt(squares / (n * (n - 1)))};
}

/// Returns the difference of two means in units of its standard error.
inline double distance(const Mean& a, const Mean& b) {
    return std::abs(a.value - b.value) / std::sqrt(a.error * a.error + b.error * b.error);
}

/// Says what happens before and between measurements. A round is one step of each of `updates`: one sweep, or
/// VectorSetup::hits sweeps.
struct Schedule {
    std::vector<VectorUpdate> updates{VectorUpdate::metropolis};  ///< the steps of a round
    int thermalize = 200, measurements = 200;                     ///< rounds without and with measurement
    double width = 2.0;                                           ///< width of the cones
    int threads = 2;
};

using Observable = std::function<double(const VectorSums&)>;

/// Returns thermal means of observables, (observable)(slot). The start is `start`, or random spins if it is
/// nullptr.
inline std::vector<std::vector<Mean>> averages(const VectorSetup& setup, const Schedule& schedule,
                                               const std::vector<Observable>& observables,
                                               const std::vector<double>* start = nullptr) {
    const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = schedule.threads}, setup);
    ensemble->set_spins(start ? *start : random_spins(setup));
    ensemble->set_widths(std::vector<double>(static_cast<std::size_t>(setup.states()), schedule.width));
    std::int64_t sweep = 0;
    const auto round = [&] {
        for (VectorUpdate update : schedule.updates)
            ensemble->sweep(update, sweep, setup.hits), sweep += setup.hits;
    };
    for (int i = 0; i < schedule.thermalize; ++i) round();
    const auto states = static_cast<std::size_t>(setup.states());
    std::vector<std::vector<double>> sums(observables.size(), std::vector<double>(states));
    for (int i = 0; i < schedule.measurements; ++i) {
        round();
        const std::vector<VectorSums> found = ensemble->sums();
        for (std::size_t o = 0; o < observables.size(); ++o)
            for (std::size_t s = 0; s < states; ++s)
                sums[o][s] += observables[o](found[s]) / schedule.measurements;
    }
    std::vector<std::vector<Mean>> means(observables.size());
    for (std::size_t o = 0; o < observables.size(); ++o)
        for (int slot = 0; slot < setup.slots(); ++slot) {
            std::vector<double> values;
            for (std::size_t s = 0; s < states; ++s)
                if (setup.slot(static_cast<std::int64_t>(s)) == slot) values.push_back(sums[o][s]);
            means[o].push_back(mean_of(values));
        }
    return means;
}

/// Returns the integral of f from -1 to 1 by Simpson's rule.
inline double integral(const std::function<double(double)>& f) {
    constexpr int steps = 4000;
    double sum = 0;
    for (int i = 0; i <= steps; ++i) {
        const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * f(-1.0 + 2.0 * i / steps);
    }
    return sum * (2.0 / steps) / 3.0;
}

/// Returns coth x - 1/x.
inline double langevin(double x) {
    return 1.0 / std::tanh(x) - 1.0 / x;
}

/// Limit of distance(). A larger distance by chance has a probability below 1e-4.
inline constexpr double far = 4.0;

}  // namespace psflip::physics
