#include "statistics/disorder_average.hpp"

#include <cmath>
#include <stdexcept>

#include "base/numbers.hpp"

namespace psflip {

namespace {

/// A quantity that is a function of the disorder averages of two observables, at each temperature.
struct Derived {
    Observable first, second;
    double (*function)(double first, double second, int L);
};

Derived derived_of(Average average) {
    if (average == Average::binder)
        return {Observable::q2, Observable::q4, [](double q2, double q4, int) { return binder_of(q2, q4); }};
    if (average == Average::xi_over_L) return {Observable::q2, Observable::kmin, xi_over_L_of};
    throw std::invalid_argument("not a derived quantity");
}

/// The two observables of one realization after the other: (realization, 2, temperature).
std::vector<double> two_columns(const DisorderSample& sample, const Derived& derived) {
    const std::size_t temperatures = sample.temperature.size();
    std::vector<double> columns;
    columns.reserve(2 * temperatures * sample.realizations);
    for (std::int64_t r = 0; r < sample.realizations; ++r)
        for (Observable o : {derived.first, derived.second}) {
            const auto row = sample[o].begin() + r * static_cast<std::int64_t>(temperatures);
            columns.insert(columns.end(), row, row + temperatures);
        }
    return columns;
}

AverageCurve derived_average(const DisorderSample& sample, Average average) {
    const Derived derived = derived_of(average);
    const std::vector<double> columns = two_columns(sample, derived);
    const int temperatures = sample.temperatures();
    return jackknife(columns, sample.realizations, 2 * temperatures, temperatures,
                     [&](std::span<const double> means, std::span<double> result) {
                         for (int t = 0; t < temperatures; ++t)
                             result[t] = derived.function(means[t], means[temperatures + t], sample.L);
                     });
}

Observable observable_of(Average average) {
    switch (average) {
        case Average::energy:
            return Observable::energy;
        case Average::specific_heat:
            return Observable::specific_heat;
        case Average::q_abs:
            return Observable::q_abs;
        case Average::q4:
            return Observable::q4;
        case Average::q_link:
            return Observable::q_link;
        default:
            return Observable::q2;
    }
}

bool is_derived(Average average) {
    return average == Average::binder || average == Average::xi_over_L;
}

/// chi_sg is N [q2].
double factor_of(const DisorderSample& sample, Average average) {
    return average == Average::chi_sg ? std::pow(sample.L, 3) : 1.0;
}

Curve curve_of(const DisorderSample& sample, Average average) {
    Curve curve{sample.temperature, {}, {}};
    for (const Estimate& estimate : disorder_average(sample, average)) {
        curve.value.push_back(estimate.value);
        curve.error.push_back(estimate.error);
    }
    return curve;
}

/// Jackknife variances of crossing temperature and value over the realizations of `sample`. `evaluate` takes
/// the sample's curve.
std::vector<Estimate> crossing_jackknife(const DisorderSample& sample, Average average,
                                         const std::function<Crossing(std::span<const double>)>& evaluate) {
    const Derived derived = derived_of(average);
    const std::vector<double> columns = two_columns(sample, derived);
    const int temperatures = sample.temperatures();
    std::vector<double> curve(temperatures);
    return jackknife(columns, sample.realizations, 2 * temperatures, 2,
                     [&](std::span<const double> means, std::span<double> result) {
                         for (int t = 0; t < temperatures; ++t)
                             curve[t] = derived.function(means[t], means[temperatures + t], sample.L);
                         const Crossing crossing = evaluate(curve);
                         result[0] = crossing.temperature;
                         result[1] = crossing.value;
                     });
}

CrossingEstimate crossing_of_curves(const DisorderSample& small, const DisorderSample& large, Average average,
                                    const Curve& small_curve, const Curve& large_curve) {
    CrossingEstimate estimate{small.L, large.L, {nan_value, nan_value}, {nan_value, nan_value}};
    const CrossingFit fit(small_curve, large_curve);
    if (!fit.found()) return estimate;
    const auto by_small = crossing_jackknife(
        small, average, [&](std::span<const double> c) { return fit.evaluate(c, large_curve.value); });
    const auto by_large = crossing_jackknife(
        large, average, [&](std::span<const double> c) { return fit.evaluate(small_curve.value, c); });
    estimate.temperature = {fit.crossing().temperature, std::hypot(by_small[0].error, by_large[0].error)};
    estimate.value = {fit.crossing().value, std::hypot(by_small[1].error, by_large[1].error)};
    return estimate;
}

}  // namespace

const char* average_name(Average average) {
    static const char* const names[n_averages] = {"energy", "specific_heat", "q_abs",     "q2",    "q4",
                                                  "binder", "chi_sg",        "xi_over_L", "q_link"};
    return names[static_cast<int>(average)];
}

double binder_of(double q2, double q4) {
    return 0.5 * (3.0 - q4 / (q2 * q2));
}

double xi_over_L_of(double q2, double kmin, int L) {
    const double ratio = q2 / kmin - 1.0;
    return ratio >= 0.0 ? std::sqrt(ratio) / (2.0 * L * std::sin(M_PI / L)) : nan_value;
}

std::vector<double> shared_error(const DisorderSample& sample, Average average) {
    if (is_derived(average)) return {};
    const std::vector<double>& shared = sample.shared[static_cast<int>(observable_of(average))];
    std::vector<double> error(sample.temperatures(), 0.0);
    const double factor = factor_of(sample, average) / static_cast<double>(sample.realizations);
    for (std::size_t t = 0; t < shared.size(); ++t)
        if (!(shared[t] <= 0.0)) error[t] = factor * std::sqrt(shared[t]);  // also NaN
    return error;
}

AverageCurve disorder_average(const DisorderSample& sample, Average average) {
    if (is_derived(average)) return derived_average(sample, average);
    const int temperatures = sample.temperatures();
    const double factor = factor_of(sample, average);
    const std::vector<double> shared = shared_error(sample, average);
    AverageCurve curve;
    for (int t = 0; t < temperatures; ++t) {
        const Estimate mean =
            mean_and_error(sample[observable_of(average)].data() + t, sample.realizations, temperatures);
        const double error = factor * mean.error;
        curve.push_back({factor * mean.value, shared.empty() ? error : std::hypot(error, shared[t])});
    }
    return curve;
}

CrossingEstimate crossing(const DisorderSample& small, const DisorderSample& large, Average average) {
    return crossing_of_curves(small, large, average, curve_of(small, average), curve_of(large, average));
}

std::vector<CrossingEstimate> crossings(const std::vector<DisorderSample>& samples, Average average) {
    std::vector<Curve> curves;
    for (const DisorderSample& sample : samples) curves.push_back(curve_of(sample, average));
    std::vector<CrossingEstimate> result;
    for (std::size_t i = 0; i < samples.size(); ++i)
        for (std::size_t j = i + 1; j < samples.size(); ++j)
            result.push_back(crossing_of_curves(samples[i], samples[j], average, curves[i], curves[j]));
    return result;
}

}  // namespace psflip
