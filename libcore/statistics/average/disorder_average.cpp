#include "statistics/average/disorder_average.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/numbers.hpp"

namespace psflip {

namespace {

/// Returns the observables of an average: (realization, observable, temperature).
std::vector<double> columns_of(const DisorderSample& sample, Average average) {
    const auto temperatures = static_cast<std::int64_t>(sample.temperature.size());
    std::vector<double> columns;
    columns.reserve(average->n * temperatures * sample.realizations);
    for (std::int64_t r = 0; r < sample.realizations; ++r)
        for (int o = 0; o < average->n; ++o) {
            const auto row = sample[average->observables[o]].begin() + r * temperatures;
            columns.insert(columns.end(), row, row + temperatures);
        }
    return columns;
}

/// Evaluates the function at every temperature for the means (observable, temperature).
void evaluate(const DisorderSample& sample, Average average, std::span<const double> means,
              std::span<double> result) {
    std::vector<double> here(average->n);
    for (std::size_t t = 0; t < result.size(); ++t) {
        for (std::size_t o = 0; o < here.size(); ++o) here[o] = means[o * result.size() + t];
        result[t] = average->form.function(here, sample.at(t));
    }
}

/// Computes the jackknife over n sums of columns; sum j is over weights[j] realizations.
AverageCurve jackknife_over(const DisorderSample& sample, Average average, std::span<const double> sums,
                            std::int64_t n, std::span<const double> weights = {}) {
    const int temperatures = sample.temperatures();
    const auto function = [&](std::span<const double> means, std::span<double> result) {
        evaluate(sample, average, means, result);
    };
    return jackknife(sums, n, average->n * temperatures, temperatures, function, weights);
}

/// Computes the jackknife over share groups.
AverageCurve pack_average(const DisorderSample& sample, Average average) {
    const int width = average->n * sample.temperatures();
    const std::vector<double> columns = columns_of(sample, average);
    std::vector<double> sums, weights;
    std::int64_t last = -1;
    for (std::int64_t r = 0; r < sample.realizations; ++r) {
        const std::int64_t pack = sample.number_of(r) / sample.share;
        if (pack != last) {
            sums.resize(sums.size() + width, 0.0);
            weights.push_back(0.0);
            last = pack;
        }
        for (int c = 0; c < width; ++c) sums[sums.size() - width + c] += columns[r * width + c];
        weights.back() += 1.0;
    }
    return jackknife_over(sample, average, sums, std::ssize(weights), weights);
}

Estimate mean_of(const DisorderSample& sample, Observable observable, std::size_t t) {
    return mean_and_error(sample[observable].data() + t, sample.realizations, sample.temperatures());
}

/// Applies a linear average to one mean.
double scaled(const DisorderSample& sample, Average average, std::size_t t, double mean) {
    return average->form.function({&mean, 1}, sample.at(t));
}

AverageCurve mean_curve(const DisorderSample& sample, Average average) {
    AverageCurve curve;
    for (std::size_t t = 0; t < sample.temperature.size(); ++t) {
        const Estimate mean = mean_of(sample, average->observables[0], t);
        curve.push_back({scaled(sample, average, t, mean.value), scaled(sample, average, t, mean.error)});
    }
    return curve;
}

int pair_of(Average average) {
    return shared_pair(average->observables[0], average->observables[1]);
}

/// Returns S of shared_error for a function of two averages; empty if the covariance of both is not known.
std::vector<double> derived_shared(const DisorderSample& sample, Average average) {
    if (average->form.gradient == nullptr) return {};
    const auto [a, b] = std::pair(average->observables[0], average->observables[1]);
    const std::vector<double>& both = sample.shared_pair[pair_of(average)];
    std::vector<double> result;
    for (std::size_t t = 0; t < both.size(); ++t) {
        const auto [by_a, by_b] =
            average->form.gradient(mean_of(sample, a, t).value, mean_of(sample, b, t).value, sample.at(t));
        result.push_back(by_a * by_a * sample.shared[a][t] + 2.0 * by_a * by_b * both[t] +
                         by_b * by_b * sample.shared[b][t]);
    }
    return result;
}

/// Sets the thermal errors of a single realization, from blocks of its run.
void set_thermal_errors(const DisorderSample& sample, Average average, AverageCurve& curve) {
    const auto [a, b] = std::pair(average->observables[0], average->observables[1]);
    const auto error = [&](Observable o, std::size_t t) {
        return sample.thermal_error[o].empty() ? nan_value : sample.thermal_error[o][t];
    };
    for (std::size_t t = 0; t < curve.size(); ++t) {
        curve[t].error = nan_value;
        if (average->is_linear()) {
            curve[t].error = scaled(sample, average, t, 1.0) * error(a, t);
        } else if (average->form.gradient != nullptr) {
            const std::vector<double>& covariance = sample.thermal_covariance[pair_of(average)];
            if (covariance.empty()) continue;
            const auto [by_a, by_b] = average->form.gradient(sample[a][t], sample[b][t], sample.at(t));
            const double x = by_a * error(a, t), y = by_b * error(b, t);
            curve[t].error = std::sqrt(std::max(0.0, x * x + 2.0 * by_a * by_b * covariance[t] + y * y));
        }
    }
}

/// Returns related averages with known shared noise. They show how much noise this average may share.
std::vector<Average> noisy_like(const DisorderSample& sample, Average average) {
    if (!sample.measured.overlaps) return {"energy", "m2"};
    if (average == "q_link_variance" || average == "q2_link_correlation") return {"q_link", "q2"};
    if (average == "q2_spread" || average == "guerra") return {"q2", "q4"};
    if (average == "m2_dbeta" || average == "binder_m_dbeta" || average == "xi_m_over_L_dbeta" ||
        average == "chi_m_connected")
        return {"energy", "m2"};
    return {"energy", "q2"};
}

/// Returns whether sharing adds more than a tenth to the error of one of the averages at some temperature.
/// All temperatures are judged together. Otherwise temperatures at which the noise happens to be
/// underestimated would keep their errors.
bool noisy(const DisorderSample& sample, const std::vector<Average>& averages) {
    constexpr double little = 1.1;  // ratio of errors with and without the noise
    for (const Average average : averages) {
        const std::vector<double> shared = shared_error(sample, average);
        const AverageCurve alone = mean_curve(sample, average);
        for (std::size_t t = 0; t < shared.size(); ++t)
            if (!(std::hypot(1.0, shared[t] / alone[t].error) <= little)) return true;
    }
    return false;
}

/// Returns whether the average has a skewed distribution and too few realizations for an error.
bool is_skewed(const DisorderSample& sample, Average average) {
    return (average == "q2_spread" || average == "guerra") &&
           sample.realizations < min_realizations_of_spread;
}

/// Sets the error of an average whose shared noise is not known, as documented for disorder_average.
void add_unknown_noise(const DisorderSample& sample, Average average, AverageCurve& curve) {
    constexpr std::int64_t min_packs = 10;
    std::int64_t packs = 1;
    for (std::int64_t r = 1; r < sample.realizations; ++r)
        packs += sample.number_of(r) / sample.share != sample.number_of(r - 1) / sample.share;
    if (packs >= min_packs) {
        const AverageCurve by_packs = pack_average(sample, average);
        for (std::size_t t = 0; t < curve.size(); ++t)
            curve[t].error = std::max(curve[t].error, by_packs[t].error);
    } else if (noisy(sample, noisy_like(sample, average))) {
        for (Estimate& estimate : curve) estimate.error = nan_value;
    }
}

int group_of(const DisorderSample& sample, std::int64_t r) {
    return static_cast<int>(sample.number_of(r) % jackknife_groups);
}

}  // namespace

std::vector<Average> averages_of(const Measured& measured) {
    std::vector<Average> averages;
    for (const AverageInfo& row : average_table)
        if (row.of(measured)) averages.emplace_back(row);
    return averages;
}

std::vector<double> shared_error(const DisorderSample& sample, Average average) {
    const Observable first = average->observables[0];
    const bool linear = average->is_linear();
    if (linear && first->shared == SharedNoise::unknown) return {};
    const std::vector<double> shared = linear ? sample.shared[first] : derived_shared(sample, average);
    if (shared.empty() && (!linear || average == "chi_kmin")) return {};
    std::vector<double> error(sample.temperatures(), 0.0);
    for (std::size_t t = 0; t < shared.size(); ++t) {
        const double scale = linear ? scaled(sample, average, t, 1.0) : 1.0;
        const double factor = scale / static_cast<double>(sample.realizations);
        if (!(shared[t] <= 0.0)) error[t] = factor * std::sqrt(shared[t]);  // also NaN
    }
    return error;
}

AverageCurve disorder_average(const DisorderSample& sample, Average average) {
    AverageCurve curve = average->is_linear() ? mean_curve(sample, average)
                                              : jackknife_over(sample, average, columns_of(sample, average),
                                                               sample.realizations);
    if (sample.realizations == 1) {
        set_thermal_errors(sample, average, curve);
        return curve;
    }
    if (is_skewed(sample, average)) {
        for (Estimate& estimate : curve) estimate.error = nan_value;
        return curve;
    }
    const std::vector<double> shared = shared_error(sample, average);
    if (shared.empty() && sample.share > 1) add_unknown_noise(sample, average, curve);
    for (std::size_t t = 0; t < shared.size(); ++t) curve[t].error = std::hypot(curve[t].error, shared[t]);
    return curve;
}

AverageTable disorder_averages(const DisorderSample& sample) {
    AverageTable averages(n_averages, AverageCurve(sample.temperature.size(), {nan_value, nan_value}));
    for (const Average average : averages_of(sample.measured))
        averages[average] = disorder_average(sample, average);
    return averages;
}

std::vector<Average> withheld_errors(const DisorderSample& sample, const AverageTable& averages) {
    std::vector<Average> withheld;
    if (sample.share == 1 || sample.realizations == 1) return withheld;
    const auto lacks_error = [](const Estimate& e) { return std::isfinite(e.value) && std::isnan(e.error); };
    for (const Average average : averages_of(sample.measured))
        if (!is_skewed(sample, average) && shared_error(sample, average).empty() &&
            std::ranges::any_of(averages[average], lacks_error))
            withheld.push_back(average);
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

std::vector<double> jackknife_samples(const DisorderSample& sample, Average average,
                                      const std::vector<int>& groups) {
    const std::vector<double> columns = columns_of(sample, average);
    const std::size_t temperatures = sample.temperature.size(), width = average->n * temperatures;
    std::vector<double> sums(jackknife_groups * width, 0.0), count(jackknife_groups, 0.0);
    for (std::int64_t r = 0; r < sample.realizations; ++r) {
        const int group = group_of(sample, r);
        count[group] += 1.0;
        for (std::size_t c = 0; c < width; ++c) sums[group * width + c] += columns[r * width + c];
    }
    std::vector<double> total(width, 0.0), means(width), samples(groups.size() * temperatures);
    for (std::size_t i = 0; i < sums.size(); ++i) total[i % width] += sums[i];
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const double rest = static_cast<double>(sample.realizations) - count[groups[g]];
        for (std::size_t c = 0; c < width; ++c) means[c] = (total[c] - sums[groups[g] * width + c]) / rest;
        evaluate(sample, average, means, std::span(samples).subspan(g * temperatures, temperatures));
    }
    return samples;
}

}  // namespace psflip
