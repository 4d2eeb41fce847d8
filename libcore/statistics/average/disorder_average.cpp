#include "statistics/average/disorder_average.hpp"

#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/numbers.hpp"

namespace psflip {

namespace {

using Means = std::span<const double>;

/// Where an average is taken: a lattice at a temperature.
struct LatticeAt {
    int L, dimension, components;
    double temperature;

    LatticeAt(const DisorderSample& sample, std::size_t t)
        : L(sample.L),
          dimension(sample.measured.dimension),
          components(sample.measured.components),
          temperature(sample.temperature[t]) {}
    double sites() const { return std::pow(L, dimension); }
};

/// An average at each temperature as a function of the disorder averages of observables; a multiple of the
/// average where it is one.
struct Definition {
    std::vector<Observable> of;
    double (*function)(Means means, const LatticeAt& at);
    /// Of a function of two averages whose shared noise is known; `pair` of shared_pairs is theirs.
    std::pair<double, double> (*gradient)(double first, double second, const LatticeAt& at) = nullptr;
    int pair = 0;

    bool linear() const { return of.size() == 1; }
};

double itself(Means means, const LatticeAt&) {
    return means[0];
}

double times_sites(Means means, const LatticeAt& at) {
    return at.sites() * means[0];
}

double binder_function(Means means, const LatticeAt& at) {
    return binder_of(means[0], means[1], at.components);
}

std::pair<double, double> binder_gradient(double q2, double q4, const LatticeAt& at) {
    return {at.components * q4 / (q2 * q2 * q2), -0.5 * at.components / (q2 * q2)};
}

double xi_function(Means means, const LatticeAt& at) {
    return xi_over_L_of(means[0], means[1], at.L);
}

std::pair<double, double> xi_gradient(double q2, double kmin, const LatticeAt& at) {
    const double scale = 1.0 / (2.0 * at.L * std::sin(M_PI / at.L)), xi = xi_over_L_of(q2, kmin, at.L);
    const double by_q2 = scale * scale / (2.0 * xi * kmin);
    return {by_q2, -by_q2 * q2 / kmin};
}

double tensor_binder_function(Means means, const LatticeAt&) {
    return binder_of(means[0], means[1], 9);
}

double ratio_function(Means means, const LatticeAt&) {
    return means[0] / means[1];
}

std::pair<double, double> ratio_gradient(double first, double second, const LatticeAt&) {
    return {1.0 / second, -first / (second * second)};
}

double susceptibility_function(Means means, const LatticeAt& at) {
    return at.sites() / at.temperature * (means[0] - means[1] * means[1]);
}

std::pair<double, double> susceptibility_gradient(double, double m_abs, const LatticeAt& at) {
    const double scale = at.sites() / at.temperature;
    return {scale, -2.0 * scale * m_abs};
}

/// Of the means of two averages, and of their derivatives, by the gradient of a function of both.
double binder_slope_function(Means means, const LatticeAt& at) {
    const auto [by_q2, by_q4] = binder_gradient(means[0], means[1], at);
    return by_q2 * means[2] + by_q4 * means[3];
}

double xi_slope_function(Means means, const LatticeAt& at) {
    const auto [by_q2, by_kmin] = xi_gradient(means[0], means[1], at);
    return by_q2 * means[2] + by_kmin * means[3];
}

double spread_function(Means means, const LatticeAt&) {
    return means[1] / (means[0] * means[0]) - 1.0;
}

double guerra_function(Means means, const LatticeAt&) {
    const double square = means[0] * means[0];
    return (means[1] - square) / (means[2] - square);
}

double variance_function(Means means, const LatticeAt&) {
    return means[0] - means[1];
}

double correlation_function(Means means, const LatticeAt&) {
    return (means[0] - means[1]) / std::sqrt((means[2] - means[3]) * (means[4] - means[5]));
}

/// Of an average that is the mean of an observable of the same name.
Observable observable_named(std::string_view name) {
    for (int o = 0; o < n_observables; ++o)
        if (name == observable_table[o].name) return static_cast<Observable>(o);
    throw std::invalid_argument("no average");
}

Definition definition_of(Average average) {
    using enum Observable;
    switch (average) {
        case Average::energy:
            return {{energy}, itself};
        case Average::specific_heat:
            return {{specific_heat}, itself};
        case Average::q_abs:
            return {{q_abs}, itself};
        case Average::q2:
            return {{q2}, itself};
        case Average::q4:
            return {{q4}, itself};
        case Average::binder:
            return {{q2, q4}, binder_function, binder_gradient, 0};
        case Average::chi_sg:
            return {{q2}, times_sites};
        case Average::xi_over_L:
            return {{q2, kmin}, xi_function, xi_gradient, 1};
        case Average::q_link:
            return {{q_link}, itself};
        case Average::chi_kmin:
            return {{kmin}, times_sites};
        case Average::q2_spread:
            return {{q2, q2_product}, spread_function};
        case Average::guerra:
            return {{q2, q2_product, q4}, guerra_function};
        case Average::q_link_variance:
            return {{q_link2, q_link_product}, variance_function};
        case Average::q2_link_correlation:
            return {{q2_q_link, q2_q_link_product, q_link2, q_link_product, q4, q2_product},
                    correlation_function};
        case Average::m_abs:
            return {{m_abs}, itself};
        case Average::m2:
            return {{m2}, itself};
        case Average::m4:
            return {{m4}, itself};
        case Average::binder_m:
            return {{m2, m4}, binder_function, binder_gradient, 2};
        case Average::chi_m:
            return {{m2, m_abs}, susceptibility_function, susceptibility_gradient, 4};
        case Average::xi_m_over_L:
            return {{m2, m_kmin}, xi_function, xi_gradient, 3};
        case Average::chi_m_total:
            return {{m2}, times_sites};
        case Average::chi_replicon:
            return {{replicon}, times_sites};
        case Average::chi_replicon_kmin:
            return {{replicon_kmin}, times_sites};
        case Average::xi_replicon_over_L:
            return {{replicon, replicon_kmin}, xi_function, xi_gradient, 5};
        case Average::r12:
            return {{replicon_kmin, replicon_diagonal}, ratio_function, ratio_gradient, 6};
        case Average::energy_bond:
            return {{energy_bond}, itself};
        case Average::q2_dbeta:
            return {{q2_dbeta}, itself};
        case Average::binder_dbeta:
            return {{q2, q4, q2_dbeta, q4_dbeta}, binder_slope_function};
        case Average::xi_over_L_dbeta:
            return {{q2, kmin, q2_dbeta, kmin_dbeta}, xi_slope_function};
        case Average::m2_dbeta:
            return {{m2_dbeta}, itself};
        case Average::binder_m_dbeta:
            return {{m2, m4, m2_dbeta, m4_dbeta}, binder_slope_function};
        case Average::xi_m_over_L_dbeta:
            return {{m2, m_kmin, m2_dbeta, m_kmin_dbeta}, xi_slope_function};
        case Average::binder_qt:
            return {{qt2, qt4}, tensor_binder_function};
        case Average::binder_ms:
            return {{ms2, ms4}, binder_function};
        case Average::chi_ms:
            return {{ms2, ms_abs}, susceptibility_function};
        case Average::xi_ms_over_L:
            return {{ms2, ms_kmin}, xi_function};
        default:
            return {{observable_named(average_name(average))}, itself};
    }
}

/// The observables of one realization after the other: (realization, observable, temperature).
std::vector<double> columns_of(const DisorderSample& sample, const Definition& definition) {
    const std::size_t temperatures = sample.temperature.size();
    std::vector<double> columns;
    columns.reserve(definition.of.size() * temperatures * sample.realizations);
    for (std::int64_t r = 0; r < sample.realizations; ++r)
        for (Observable o : definition.of) {
            const auto row = sample[o].begin() + r * static_cast<std::int64_t>(temperatures);
            columns.insert(columns.end(), row, row + temperatures);
        }
    return columns;
}

/// The function at every temperature of means (observable, temperature).
void evaluate(const Definition& definition, const DisorderSample& sample, std::span<const double> means,
              std::span<double> result) {
    const std::size_t temperatures = result.size(), observables = definition.of.size();
    std::vector<double> at(observables);
    for (std::size_t t = 0; t < temperatures; ++t) {
        for (std::size_t o = 0; o < observables; ++o) at[o] = means[o * temperatures + t];
        result[t] = definition.function(at, LatticeAt(sample, t));
    }
}

AverageCurve derived_average(const DisorderSample& sample, const Definition& definition) {
    const int temperatures = sample.temperatures(), observables = static_cast<int>(definition.of.size());
    const auto function = [&](std::span<const double> means, std::span<double> result) {
        evaluate(definition, sample, means, result);
    };
    return jackknife(columns_of(sample, definition), sample.realizations, observables * temperatures,
                     temperatures, function);
}

AverageCurve mean_curve(const DisorderSample& sample, const Definition& definition) {
    const int temperatures = sample.temperatures();
    AverageCurve curve;
    for (int t = 0; t < temperatures; ++t) {
        const auto scaled = [&](double x) { return definition.function({&x, 1}, LatticeAt(sample, t)); };
        const Estimate mean =
            mean_and_error(sample[definition.of[0]].data() + t, sample.realizations, temperatures);
        curve.push_back({scaled(mean.value), scaled(mean.error)});
    }
    return curve;
}

int group_of(const DisorderSample& sample, std::int64_t r) {
    return static_cast<int>((sample.number.empty() ? r : sample.number[r]) % jackknife_groups);
}

/// Sums of the columns (observable, temperature) and number of realizations in each group.
struct GroupSums {
    std::vector<double> sums, count;  ///< (group, column), (group)
};

GroupSums group_sums(const DisorderSample& sample, const Definition& definition) {
    const std::vector<double> columns = columns_of(sample, definition);
    const std::size_t width = definition.of.size() * sample.temperature.size();
    GroupSums groups{std::vector<double>(jackknife_groups * width, 0.0),
                     std::vector<double>(jackknife_groups, 0.0)};
    for (std::int64_t r = 0; r < sample.realizations; ++r) {
        const int group = group_of(sample, r);
        groups.count[group] += 1.0;
        for (std::size_t c = 0; c < width; ++c) groups.sums[group * width + c] += columns[r * width + c];
    }
    return groups;
}

ResampledCurve resampled_curve(const DisorderSample& sample, Average average,
                               const std::vector<int>& groups) {
    const Definition definition = definition_of(average);
    const std::size_t temperatures = sample.temperature.size(), width = definition.of.size() * temperatures;
    const GroupSums all = group_sums(sample, definition);
    ResampledCurve curve{sample.L, sample.temperature, {}, {}, shared_error(sample, average)};
    if (curve.shared_error.empty()) curve.shared_error.assign(temperatures, 0.0);
    std::vector<double> total(width, 0.0), means(width), values(temperatures);
    for (std::size_t i = 0; i < all.sums.size(); ++i) total[i % width] += all.sums[i];
    for (const Estimate& estimate : disorder_average(sample, average)) curve.value.push_back(estimate.value);
    for (const int group : groups) {
        const double rest = static_cast<double>(sample.realizations) - all.count[group];
        for (std::size_t c = 0; c < width; ++c) means[c] = (total[c] - all.sums[group * width + c]) / rest;
        evaluate(definition, sample, means, values);
        curve.left_out.push_back(values);
    }
    return curve;
}

/// S of shared_error at one temperature of a function of two averages, from its gradient; empty where that of
/// the two together is not known.
std::vector<double> derived_shared(const DisorderSample& sample, const Definition& definition) {
    if (definition.gradient == nullptr) return {};
    const auto& first = sample.shared[static_cast<int>(definition.of[0])];
    const auto& second = sample.shared[static_cast<int>(definition.of[1])];
    const auto& both = sample.shared_pair[definition.pair];
    const auto mean = [&](int o, std::size_t t) {
        return mean_and_error(sample[definition.of[o]].data() + t, sample.realizations, sample.temperatures())
            .value;
    };
    std::vector<double> result;
    for (std::size_t t = 0; t < both.size(); ++t) {
        const auto [by_a, by_b] = definition.gradient(mean(0, t), mean(1, t), LatticeAt(sample, t));
        result.push_back(by_a * by_a * first[t] + 2.0 * by_a * by_b * both[t] + by_b * by_b * second[t]);
    }
    return result;
}

}  // namespace

std::vector<Average> averages_of(const Measured& measured) {
    std::vector<Average> averages;
    for (int a = 0; a < n_averages; ++a)
        if (average_table[a].of(measured)) averages.push_back(static_cast<Average>(a));
    return averages;
}

std::vector<Average> crossing_averages(const Measured& measured) {
    if (measured.staggered) return {Average::binder_ms, Average::xi_ms_over_L};
    if (!measured.overlaps) return {Average::binder_m, Average::xi_m_over_L};
    if (measured.dimension == 2) return {};
    if (measured.field) return {Average::xi_replicon_over_L, Average::r12};
    return {Average::binder, Average::xi_over_L};
}

double binder_of(double q2, double q4, int components) {
    const double n = components;
    return 0.5 * (n + 2.0 - n * (q4 / (q2 * q2)));
}

double xi_over_L_of(double q2, double kmin, int L) {
    const double ratio = q2 / kmin - 1.0;
    return kmin > 0.0 && ratio >= 0.0 ? std::sqrt(ratio) / (2.0 * L * std::sin(M_PI / L)) : nan_value;
}

std::vector<double> shared_error(const DisorderSample& sample, Average average) {
    const Definition definition = definition_of(average);
    if (definition.linear() && !is_shared(definition.of[0])) return {};
    const std::vector<double> shared = definition.linear() ? sample.shared[static_cast<int>(definition.of[0])]
                                                           : derived_shared(sample, definition);
    if (shared.empty() && (!definition.linear() || average == Average::chi_kmin)) return {};
    std::vector<double> error(sample.temperatures(), 0.0);
    for (std::size_t t = 0; t < shared.size(); ++t) {
        const double one = 1.0,
                     scale = definition.linear() ? definition.function({&one, 1}, LatticeAt(sample, t)) : 1.0;
        const double factor = scale / static_cast<double>(sample.realizations);
        if (!(shared[t] <= 0.0)) error[t] = factor * std::sqrt(shared[t]);  // also NaN
    }
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
    AverageTable averages(n_averages, AverageCurve(sample.temperature.size(), {nan_value, nan_value}));
    for (Average a : averages_of(sample.measured)) averages[int(a)] = disorder_average(sample, a);
    return averages;
}

std::vector<int> groups_of(const std::vector<DisorderSample>& samples) {
    std::vector<bool> there(jackknife_groups, false);
    for (const DisorderSample& sample : samples)
        for (std::int64_t r = 0; r < sample.realizations; ++r) there[group_of(sample, r)] = true;
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
