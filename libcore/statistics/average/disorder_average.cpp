#include "statistics/average/disorder_average.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/numbers.hpp"
#include "statistics/average/formulas.hpp"

namespace psflip {

namespace {

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

/// As derived_average, without one pack of realizations that share random numbers after the other.
AverageCurve pack_average(const DisorderSample& sample, const Definition& definition) {
    const int temperatures = sample.temperatures(),
              width = static_cast<int>(definition.of.size()) * temperatures;
    const std::vector<double> columns = columns_of(sample, definition);
    std::vector<double> sums, weights;
    std::int64_t last = -1;
    for (std::int64_t r = 0; r < sample.realizations; ++r) {
        const std::int64_t pack = (sample.number.empty() ? r : sample.number[r]) / sample.share;
        if (pack != last) {
            sums.resize(sums.size() + width, 0.0);
            weights.push_back(0.0);
            last = pack;
        }
        for (int c = 0; c < width; ++c) sums[sums.size() - width + c] += columns[r * width + c];
        weights.back() += 1.0;
    }
    const auto function = [&](std::span<const double> means, std::span<double> result) {
        evaluate(definition, sample, means, result);
    };
    return jackknife(sums, std::ssize(weights), width, temperatures, function, weights);
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
    for (const AverageInfo& row : average_table)
        if (row.of(measured)) averages.push_back(row.average);
    return averages;
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

namespace {

/// Of one realization, from blocks of its run.
void set_thermal_errors(const DisorderSample& sample, const Definition& definition, AverageCurve& curve) {
    const auto error = [&](std::size_t number, std::size_t t) {
        const auto& of_all = sample.thermal_error[static_cast<int>(definition.of[number])];
        return of_all.empty() ? nan_value : of_all[t];
    };
    const auto& covariance = sample.thermal_covariance[definition.pair];
    for (std::size_t t = 0; t < curve.size(); ++t) {
        const LatticeAt at(sample, t);
        curve[t].error = nan_value;
        if (definition.linear()) {
            const double one = 1.0;
            curve[t].error = definition.function({&one, 1}, at) * error(0, t);
        } else if (definition.gradient != nullptr && !covariance.empty()) {
            const auto [by_a, by_b] =
                definition.gradient(sample[definition.of[0]][t], sample[definition.of[1]][t], at);
            const double a = by_a * error(0, t), b = by_b * error(1, t);
            curve[t].error = std::sqrt(std::max(0.0, a * a + 2.0 * by_a * by_b * covariance[t] + b * b));
        }
    }
}

/// Averages whose shared noise is known and that tell how much there may be of it in this one.
std::vector<Average> noisy_like(const DisorderSample& sample, Average average) {
    using enum Average;
    if (!sample.measured.overlaps) return {energy, m2};
    switch (average) {
        case q_link_variance:
        case q2_link_correlation:
            return {q_link, q2};
        case m2_dbeta:
        case binder_m_dbeta:
        case xi_m_over_L_dbeta:
        case chi_m_connected:
            return {energy, m2};
        case q2_spread:
        case guerra:
            return {q2, q4};
        default:
            return {energy, q2};
    }
}

/// Whether sharing adds more than a tenth to the error of one of the averages at some temperature. The noise
/// of a size is judged as a whole: temperatures judged one by one would keep their errors where the noise
/// happens to be underrated.
bool noisy(const DisorderSample& sample, const std::vector<Average>& averages) {
    constexpr double little = 1.1;  // of errors with and without the noise
    for (const Average average : averages) {
        const std::vector<double> shared = shared_error(sample, average);
        const AverageCurve alone = mean_curve(sample, definition_of(average));
        for (std::size_t t = 0; t < shared.size(); ++t)
            if (!(std::hypot(1.0, shared[t] / alone[t].error) <= little)) return true;
    }
    return false;
}

/// Returns whether the average has a skewed distribution, so that its error covers from
/// least_realizations_of_spread on.
bool is_spread(Average average) {
    return average == Average::q2_spread || average == Average::guerra;
}

/// Of an average whose shared noise is not known: what disorder_average says.
void add_unknown_noise(const DisorderSample& sample, Average average, const Definition& definition,
                       AverageCurve& curve) {
    constexpr std::int64_t least_packs = 10;
    const auto pack_of = [&](std::int64_t r) {
        return (sample.number.empty() ? r : sample.number[r]) / sample.share;
    };
    std::int64_t packs = 1;
    for (std::int64_t r = 1; r < sample.realizations; ++r) packs += pack_of(r) != pack_of(r - 1);
    if (packs >= least_packs) {
        const AverageCurve by_packs = pack_average(sample, definition);
        for (std::size_t t = 0; t < curve.size(); ++t)
            curve[t].error = std::max(curve[t].error, by_packs[t].error);
    } else if (noisy(sample, noisy_like(sample, average))) {
        for (Estimate& estimate : curve) estimate.error = nan_value;
    }
}

}  // namespace

AverageCurve disorder_average(const DisorderSample& sample, Average average) {
    const Definition definition = definition_of(average);
    AverageCurve curve =
        definition.linear() ? mean_curve(sample, definition) : derived_average(sample, definition);
    if (sample.realizations == 1) {
        set_thermal_errors(sample, definition, curve);
        return curve;
    }
    if (is_spread(average) && sample.realizations < least_realizations_of_spread) {
        for (Estimate& estimate : curve) estimate.error = nan_value;
        return curve;
    }
    const std::vector<double> shared = shared_error(sample, average);
    if (shared.empty() && sample.share > 1) add_unknown_noise(sample, average, definition, curve);
    for (std::size_t t = 0; t < shared.size(); ++t) curve[t].error = std::hypot(curve[t].error, shared[t]);
    return curve;
}

AverageTable disorder_averages(const DisorderSample& sample) {
    AverageTable averages(n_averages, AverageCurve(sample.temperature.size(), {nan_value, nan_value}));
    for (Average a : averages_of(sample.measured)) averages[int(a)] = disorder_average(sample, a);
    return averages;
}

std::vector<Average> withheld_errors(const DisorderSample& sample, const AverageTable& averages) {
    std::vector<Average> withheld;
    if (sample.share == 1 || sample.realizations == 1) return withheld;
    const auto lacks_error = [](const Estimate& e) { return std::isfinite(e.value) && std::isnan(e.error); };
    for (const Average a : averages_of(sample.measured))
        if (!(is_spread(a) && sample.realizations < least_realizations_of_spread) &&
            shared_error(sample, a).empty() && std::ranges::any_of(averages[int(a)], lacks_error))
            withheld.push_back(a);
    return withheld;
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
