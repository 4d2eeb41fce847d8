#include "tuning/ladder_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "config/limits.hpp"

namespace psflip {
namespace {

constexpr int digits = 5;   ///< significant digits of a temperature
constexpr int at_once = 4;  ///< temperatures in one word of CPUs (lattice/layout.hpp)

/// Returns slopes at the knots of a monotone cubic through (x, y). They are harmonic means of the slopes on
/// both sides, and at the ends the slope of one side.
std::vector<double> monotone_slopes(std::span<const double> x, std::span<const double> y) {
    const std::size_t n = x.size();
    std::vector<double> secant(n - 1), slope(n);
    for (std::size_t i = 0; i + 1 < n; ++i) secant[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
    slope.front() = secant.front();
    slope.back() = secant.back();
    for (std::size_t i = 1; i + 1 < n; ++i)
        slope[i] = 2.0 * secant[i - 1] * secant[i] / (secant[i - 1] + secant[i]);
    return slope;
}

/// Evaluates the Hermite cubic between the knots around `at`. x and y are ascending.
double monotone_cubic(std::span<const double> x, std::span<const double> y, std::span<const double> slope,
                      double at) {
    const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, at);
    const auto i = static_cast<std::size_t>(above - x.begin()) - 1;
    const double h = x[i + 1] - x[i], t = (at - x[i]) / h, s = 1.0 - t;
    return s * s * (1.0 + 2.0 * t) * y[i] + t * t * (1.0 + 2.0 * s) * y[i + 1] +
           h * t * s * (s * slope[i] - t * slope[i + 1]);
}

/// Returns the falls of f from slot to slot after f is replaced by the nearest (least squares) function that
/// never rises.
std::vector<double> monotone_falls(std::span<const double> f) {
    struct Pool {
        double sum;
        std::size_t slots;
        double mean() const { return sum / static_cast<double>(slots); }
    };
    std::vector<Pool> pools;
    for (const double value : f) {
        pools.push_back({value, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() < pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back().sum += last.sum;
            pools.back().slots += last.slots;
        }
    }
    std::vector<double> level, fall;
    for (const Pool& pool : pools) level.insert(level.end(), pool.slots, pool.mean());
    for (std::size_t i = 0; i + 1 < level.size(); ++i) fall.push_back(level[i] - level[i + 1]);
    return fall;
}

}  // namespace

double acceptance_of_distance(double distance) {
    return std::erfc(0.5 * distance);
}

double distance_of_acceptance(double acceptance) {
    if (!(acceptance > 0.0 && acceptance <= 1.0))
        throw std::invalid_argument("distance_of_acceptance: not an acceptance between 0 and 1");
    double near = 0.0, far = 54.0;  // erfc(27) is the least positive double
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (near + far);
        (acceptance_of_distance(middle) > acceptance ? near : far) = middle;
    }
    return near;
}

std::vector<double> pair_distances(std::span<const double> acceptance, std::span<const double> attempts) {
    std::vector<double> distances;
    for (std::size_t i = 0; i < acceptance.size(); ++i) {
        const double least = 0.5 / std::max(1.0, attempts[i]);
        distances.push_back(distance_of_acceptance(std::clamp(acceptance[i], least, 1.0 - least)));
    }
    return distances;
}

int count_for_acceptance(double length, double target, int present) {
    const double pairs = length / distance_of_acceptance(target);
    const bool near = pairs > present - at_once - 0.5 && pairs <= present + 0.5;
    if (near && present % at_once == 0) return present;
    return at_once * static_cast<int>(std::clamp(std::ceil(pairs / at_once), 1.0, 1e6));
}

std::vector<double> ladder_of_equal_weights(std::span<const double> temperatures,
                                            std::span<const double> weights, int count) {
    std::vector<double> sum{0.0}, log_T;
    for (const double weight : weights) sum.push_back(sum.back() + weight);
    for (const double T : temperatures) log_T.push_back(std::log(T));
    const std::vector<double> slope = monotone_slopes(sum, log_T);
    std::vector<double> ladder{temperatures.front()};
    for (int i = 1; i + 1 < count; ++i)
        ladder.push_back(
            rounded(std::exp(monotone_cubic(sum, log_T, slope, sum.back() * i / (count - 1))), digits));
    ladder.push_back(temperatures.back());
    if (std::adjacent_find(ladder.begin(), ladder.end(), std::greater_equal<>()) != ladder.end())
        throw InputError(fmt::format(
            "{} temperatures from {} to {} are too close for a ladder of {} significant digits; ask "
            "for fewer temperatures or a smaller acceptance, or widen the range",
            count, temperatures.front(), temperatures.back(), digits));
    return ladder;
}

std::vector<double> feedback_weights(std::span<const double> cold_fraction) {
    std::vector<double> weights = monotone_falls(cold_fraction);
    const double least = 0.1 / static_cast<double>(weights.size());
    for (double& weight : weights) weight = std::sqrt(std::max(weight, least));
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= total;
    return weights;
}

std::vector<double> diffusivity(std::span<const double> temperatures, std::span<const double> cold_fraction,
                                double round_trips) {
    std::vector<double> result;
    for (std::size_t i = 0; i + 1 < temperatures.size(); ++i) {
        const double step = temperatures[i + 1] - temperatures[i];
        const double fall = cold_fraction[i] - cold_fraction[i + 1];
        result.push_back(fall > 0.0 ? round_trips * step * step / fall : nan_value);
    }
    return result;
}

double independent_round_trips(std::span<const double> acceptance) {
    double sum = 0.0;
    for (const double A : acceptance) sum += (1.0 - A) / A;
    return 1.0 / (2.0 + 2.0 * sum);
}

std::vector<LadderChoice> ladder_choices(double length) {
    std::vector<LadderChoice> choices;
    for (int count = at_once; count <= limits::temperatures; count += at_once) {
        const double acceptance = acceptance_of_distance(length / (count - 1));
        if (acceptance < 0.05 || acceptance > 0.8) continue;
        const std::vector<double> pairs(static_cast<std::size_t>(count - 1), acceptance);
        choices.push_back({count, acceptance, independent_round_trips(pairs)});
    }
    return choices;
}

}  // namespace psflip
