#include "statistics/disorder_average.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/numbers.hpp"

namespace psflip {

namespace {

/// An average at each temperature as a function of the disorder averages of two observables.
struct Definition {
    Observable first, second;
    double (*function)(double first, double second, int L);
    /// nullptr: a multiple of the first average, whatever the second
    std::pair<double, double> (*gradient)(double first, double second, int L) = nullptr;

    bool linear() const { return gradient == nullptr; }
};

double itself(double mean, double, int) {
    return mean;
}

double times_sites(double mean, double, int L) {
    return std::pow(L, 3) * mean;
}

double binder_function(double q2, double q4, int) {
    return binder_of(q2, q4);
}

std::pair<double, double> binder_gradient(double q2, double q4, int) {
    return {q4 / (q2 * q2 * q2), -0.5 / (q2 * q2)};
}

std::pair<double, double> xi_gradient(double q2, double kmin, int L) {
    const double scale = 1.0 / (2.0 * L * std::sin(M_PI / L)), xi = xi_over_L_of(q2, kmin, L);
    const double by_q2 = scale * scale / (2.0 * xi * kmin);
    return {by_q2, -by_q2 * q2 / kmin};
}

Definition definition_of(Average average) {
    using enum Observable;
    switch (average) {
        case Average::energy:
            return {energy, energy, itself};
        case Average::specific_heat:
            return {specific_heat, specific_heat, itself};
        case Average::q_abs:
            return {q_abs, q_abs, itself};
        case Average::q2:
            return {q2, q2, itself};
        case Average::q4:
            return {q4, q4, itself};
        case Average::binder:
            return {q2, q4, binder_function, binder_gradient};
        case Average::chi_sg:
            return {q2, q2, times_sites};
        case Average::xi_over_L:
            return {q2, kmin, xi_over_L_of, xi_gradient};
        case Average::q_link:
            return {q_link, q_link, itself};
        case Average::chi_kmin:
            return {kmin, kmin, times_sites};
    }
    throw std::invalid_argument("no average");
}

/// The two observables of one realization after the other: (realization, 2, temperature).
std::vector<double> two_columns(const DisorderSample& sample, const Definition& definition) {
    const std::size_t temperatures = sample.temperature.size();
    std::vector<double> columns;
    columns.reserve(2 * temperatures * sample.realizations);
    for (std::int64_t r = 0; r < sample.realizations; ++r)
        for (Observable o : {definition.first, definition.second}) {
            const auto row = sample[o].begin() + r * static_cast<std::int64_t>(temperatures);
            columns.insert(columns.end(), row, row + temperatures);
        }
    return columns;
}

AverageCurve derived_average(const DisorderSample& sample, const Definition& definition) {
    const std::vector<double> columns = two_columns(sample, definition);
    const int temperatures = sample.temperatures();
    return jackknife(columns, sample.realizations, 2 * temperatures, temperatures,
                     [&](std::span<const double> means, std::span<double> result) {
                         for (int t = 0; t < temperatures; ++t)
                             result[t] = definition.function(means[t], means[temperatures + t], sample.L);
                     });
}

AverageCurve mean_curve(const DisorderSample& sample, const Definition& definition) {
    const int temperatures = sample.temperatures();
    const auto scaled = [&](double x) { return definition.function(x, x, sample.L); };
    AverageCurve curve;
    for (int t = 0; t < temperatures; ++t) {
        const Estimate mean =
            mean_and_error(sample[definition.first].data() + t, sample.realizations, temperatures);
        curve.push_back({scaled(mean.value), scaled(mean.error)});
    }
    return curve;
}

/// (group, temperature): sums of the two observables and number of realizations in each group.
struct GroupSums {
    std::vector<double> first, second, count;
};

GroupSums group_sums(const DisorderSample& sample, const Definition& definition) {
    const std::size_t temperatures = sample.temperature.size();
    GroupSums sums{std::vector<double>(jackknife_groups * temperatures, 0.0),
                   std::vector<double>(jackknife_groups * temperatures, 0.0),
                   std::vector<double>(jackknife_groups, 0.0)};
    for (std::int64_t r = 0; r < sample.realizations; ++r) {
        const std::size_t group = (sample.number.empty() ? r : sample.number[r]) % jackknife_groups;
        sums.count[group] += 1.0;
        for (std::size_t t = 0; t < temperatures; ++t) {
            sums.first[group * temperatures + t] += sample[definition.first][r * temperatures + t];
            sums.second[group * temperatures + t] += sample[definition.second][r * temperatures + t];
        }
    }
    return sums;
}

ResampledCurve resampled_curve(const DisorderSample& sample, Average average,
                               const std::vector<int>& groups) {
    const Definition definition = definition_of(average);
    const std::size_t temperatures = sample.temperature.size();
    const GroupSums sums = group_sums(sample, definition);
    ResampledCurve curve{sample.L, sample.temperature, {}, {}, shared_error(sample, average)};
    if (curve.shared_error.empty()) curve.shared_error.assign(temperatures, 0.0);
    std::vector<double> first(temperatures, 0.0), second(temperatures, 0.0);
    for (std::size_t i = 0; i < sums.first.size(); ++i) {
        first[i % temperatures] += sums.first[i];
        second[i % temperatures] += sums.second[i];
    }
    const double n = static_cast<double>(sample.realizations);
    for (const Estimate& estimate : disorder_average(sample, average)) curve.value.push_back(estimate.value);
    for (const int group : groups) {
        const double rest = n - sums.count[group];
        std::vector<double> values;
        for (std::size_t t = 0; t < temperatures; ++t)
            values.push_back(definition.function((first[t] - sums.first[group * temperatures + t]) / rest,
                                                 (second[t] - sums.second[group * temperatures + t]) / rest,
                                                 sample.L));
        curve.left_out.push_back(std::move(values));
    }
    return curve;
}

/// S of shared_error at one temperature of a function of two averages, from its gradient.
std::vector<double> derived_shared(const DisorderSample& sample, Average average) {
    const Definition definition = definition_of(average);
    const auto& first = sample.shared[static_cast<int>(definition.first)];
    const auto& second = sample.shared[static_cast<int>(definition.second)];
    const auto& both = sample.shared_pair[average == Average::binder ? 0 : 1];
    std::vector<double> result;
    for (std::size_t t = 0; t < both.size(); ++t) {
        const double a =
            mean_and_error(sample[definition.first].data() + t, sample.realizations, sample.temperatures())
                .value;
        const double b =
            mean_and_error(sample[definition.second].data() + t, sample.realizations, sample.temperatures())
                .value;
        const auto [by_a, by_b] = definition.gradient(a, b, sample.L);
        result.push_back(by_a * by_a * first[t] + 2.0 * by_a * by_b * both[t] + by_b * by_b * second[t]);
    }
    return result;
}

}  // namespace

const char* average_name(Average average) {
    static const char* const names[n_averages] = {"energy", "specific_heat", "q_abs",  "q2",
                                                  "q4",     "binder",        "chi_sg", "xi_over_L",
                                                  "q_link", "chi_kmin"};
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
    const Definition definition = definition_of(average);
    const std::vector<double> shared = definition.linear() ? sample.shared[static_cast<int>(definition.first)]
                                                           : derived_shared(sample, average);
    if (shared.empty() && (!definition.linear() || average == Average::chi_kmin)) return {};
    std::vector<double> error(sample.temperatures(), 0.0);
    const double scale = definition.linear() ? definition.function(1.0, 1.0, sample.L) : 1.0;
    const double factor = scale / static_cast<double>(sample.realizations);
    for (std::size_t t = 0; t < shared.size(); ++t)
        if (!(shared[t] <= 0.0)) error[t] = factor * std::sqrt(shared[t]);  // also NaN
    return error;
}

AverageCurve disorder_average(const DisorderSample& sample, Average average) {
    const Definition definition = definition_of(average);
    AverageCurve curve =
        definition.linear() ? mean_curve(sample, definition) : derived_average(sample, definition);
    const std::vector<double> shared = shared_error(sample, average);
    for (std::size_t t = 0; t < shared.size(); ++t) curve[t].error = std::hypot(curve[t].error, shared[t]);
    return curve;
}

AverageTable disorder_averages(const DisorderSample& sample) {
    AverageTable averages;
    for (int a = 0; a < n_averages; ++a)
        averages.push_back(disorder_average(sample, static_cast<Average>(a)));
    return averages;
}

std::vector<int> groups_of(const std::vector<DisorderSample>& samples) {
    std::vector<bool> there(jackknife_groups, false);
    for (const DisorderSample& sample : samples)
        for (std::int64_t r = 0; r < sample.realizations; ++r)
            there[(sample.number.empty() ? r : sample.number[r]) % jackknife_groups] = true;
    std::vector<int> groups;
    for (int group = 0; group < jackknife_groups; ++group)
        if (there[group]) groups.push_back(group);
    return groups;
}

std::vector<ResampledCurve> resampled_curves(const std::vector<DisorderSample>& samples, Average average) {
    const std::vector<int> groups = groups_of(samples);
    std::vector<ResampledCurve> curves;
    for (const DisorderSample& sample : samples) curves.push_back(resampled_curve(sample, average, groups));
    return curves;
}

}  // namespace psflip
