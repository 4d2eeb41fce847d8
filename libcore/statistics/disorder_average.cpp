#include "statistics/disorder_average.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/numbers.hpp"

namespace psflip {

namespace {

/// A quantity that is a function of the disorder averages of two observables, at each temperature.
struct Derived {
    Observable first, second;
    double (*function)(double first, double second, int L);
    std::pair<double, double> (*gradient)(double first, double second, int L);
};

std::pair<double, double> binder_gradient(double q2, double q4, int) {
    return {q4 / (q2 * q2 * q2), -0.5 / (q2 * q2)};
}

std::pair<double, double> xi_gradient(double q2, double kmin, int L) {
    const double scale = 1.0 / (2.0 * L * std::sin(M_PI / L)), xi = xi_over_L_of(q2, kmin, L);
    const double by_q2 = scale * scale / (2.0 * xi * kmin);
    return {by_q2, -by_q2 * q2 / kmin};
}

Derived derived_of(Average average) {
    if (average == Average::binder)
        return {Observable::q2, Observable::q4, [](double q2, double q4, int) { return binder_of(q2, q4); },
                binder_gradient};
    if (average == Average::xi_over_L) return {Observable::q2, Observable::kmin, xi_over_L_of, xi_gradient};
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

AverageCurve mean_curve(const DisorderSample& sample, Average average) {
    const int temperatures = sample.temperatures();
    const double factor = factor_of(sample, average);
    AverageCurve curve;
    for (int t = 0; t < temperatures; ++t) {
        const Estimate mean =
            mean_and_error(sample[observable_of(average)].data() + t, sample.realizations, temperatures);
        curve.push_back({factor * mean.value, factor * mean.error});
    }
    return curve;
}

/// (group, temperature): sums of the two observables and number of realizations in each group.
struct GroupSums {
    std::vector<double> first, second, count;
};

GroupSums group_sums(const DisorderSample& sample, const Derived& derived) {
    const std::size_t temperatures = sample.temperature.size();
    GroupSums sums{std::vector<double>(jackknife_groups * temperatures, 0.0),
                   std::vector<double>(jackknife_groups * temperatures, 0.0),
                   std::vector<double>(jackknife_groups, 0.0)};
    for (std::int64_t r = 0; r < sample.realizations; ++r) {
        const std::size_t group = (sample.number.empty() ? r : sample.number[r]) % jackknife_groups;
        sums.count[group] += 1.0;
        for (std::size_t t = 0; t < temperatures; ++t) {
            sums.first[group * temperatures + t] += sample[derived.first][r * temperatures + t];
            sums.second[group * temperatures + t] += sample[derived.second][r * temperatures + t];
        }
    }
    return sums;
}

ResampledCurve resampled_curve(const DisorderSample& sample, Average average,
                               const std::vector<std::size_t>& groups) {
    const Derived derived = derived_of(average);
    const std::size_t temperatures = sample.temperature.size();
    const GroupSums sums = group_sums(sample, derived);
    ResampledCurve curve{sample.L, sample.temperature, {}, {}, shared_error(sample, average)};
    if (curve.shared_error.empty()) curve.shared_error.assign(temperatures, 0.0);
    std::vector<double> first(temperatures, 0.0), second(temperatures, 0.0);
    for (std::size_t i = 0; i < sums.first.size(); ++i) {
        first[i % temperatures] += sums.first[i];
        second[i % temperatures] += sums.second[i];
    }
    const double n = static_cast<double>(sample.realizations);
    for (const Estimate& estimate : disorder_average(sample, average)) curve.value.push_back(estimate.value);
    for (const std::size_t group : groups) {
        const double rest = n - sums.count[group];
        std::vector<double> values;
        for (std::size_t t = 0; t < temperatures; ++t)
            values.push_back(derived.function((first[t] - sums.first[group * temperatures + t]) / rest,
                                              (second[t] - sums.second[group * temperatures + t]) / rest,
                                              sample.L));
        curve.left_out.push_back(std::move(values));
    }
    return curve;
}

/// The groups that any of the samples has.
std::vector<std::size_t> groups_of(const std::vector<DisorderSample>& samples) {
    std::vector<bool> there(jackknife_groups, false);
    for (const DisorderSample& sample : samples)
        for (std::int64_t r = 0; r < sample.realizations; ++r)
            there[(sample.number.empty() ? r : sample.number[r]) % jackknife_groups] = true;
    std::vector<std::size_t> groups;
    for (std::size_t group = 0; group < there.size(); ++group)
        if (there[group]) groups.push_back(group);
    return groups;
}

/// S of shared_error at one temperature of a function of two averages, from its gradient.
std::vector<double> derived_shared(const DisorderSample& sample, Average average) {
    const Derived derived = derived_of(average);
    const auto& first = sample.shared[static_cast<int>(derived.first)];
    const auto& second = sample.shared[static_cast<int>(derived.second)];
    const auto& both = sample.shared_pair[average == Average::binder ? 0 : 1];
    std::vector<double> result;
    for (std::size_t t = 0; t < both.size(); ++t) {
        const double a =
            mean_and_error(sample[derived.first].data() + t, sample.realizations, sample.temperatures())
                .value;
        const double b =
            mean_and_error(sample[derived.second].data() + t, sample.realizations, sample.temperatures())
                .value;
        const auto [by_a, by_b] = derived.gradient(a, b, sample.L);
        result.push_back(by_a * by_a * first[t] + 2.0 * by_a * by_b * both[t] + by_b * by_b * second[t]);
    }
    return result;
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
    const bool derived = is_derived(average);
    const std::vector<double> shared =
        derived ? derived_shared(sample, average) : sample.shared[static_cast<int>(observable_of(average))];
    if (derived && shared.empty()) return {};
    std::vector<double> error(sample.temperatures(), 0.0);
    const double factor = factor_of(sample, average) / static_cast<double>(sample.realizations);
    for (std::size_t t = 0; t < shared.size(); ++t)
        if (!(shared[t] <= 0.0)) error[t] = factor * std::sqrt(shared[t]);  // also NaN
    return error;
}

AverageCurve disorder_average(const DisorderSample& sample, Average average) {
    AverageCurve curve = is_derived(average) ? derived_average(sample, average) : mean_curve(sample, average);
    const std::vector<double> shared = shared_error(sample, average);
    for (std::size_t t = 0; t < shared.size(); ++t) curve[t].error = std::hypot(curve[t].error, shared[t]);
    return curve;
}

std::vector<ResampledCurve> resampled_curves(const std::vector<DisorderSample>& samples, Average average) {
    const std::vector<std::size_t> groups = groups_of(samples);
    std::vector<ResampledCurve> curves;
    for (const DisorderSample& sample : samples) curves.push_back(resampled_curve(sample, average, groups));
    return curves;
}

}  // namespace psflip
