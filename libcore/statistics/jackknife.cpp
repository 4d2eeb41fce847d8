#include "statistics/jackknife.hpp"

#include <cmath>
#include <random>

#include "base/numbers.hpp"

namespace psflip {

namespace {

/// Mean and sum of squared deviations of numbers given one after the other (Welford), per result.
struct Spread {
    explicit Spread(std::size_t size) : mean(size, 0.0), squares(size, 0.0) {}
    void add(std::size_t i, double value, double count) {
        const double before = value - mean[i];
        mean[i] += before / count;
        squares[i] += before * (value - mean[i]);
    }
    std::vector<double> mean, squares;
};

std::vector<double> column_sums(std::span<const double> samples, std::int64_t n, int columns) {
    std::vector<double> sums(columns, 0.0);
    for (std::int64_t j = 0; j < n; ++j)
        for (int k = 0; k < columns; ++k) sums[k] += samples[j * columns + k];
    return sums;
}

}  // namespace

std::vector<Estimate> jackknife(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, std::span<const double> weights) {
    std::vector<Estimate> estimates(results, {nan_value, nan_value});
    if (n < 1) return estimates;
    const std::vector<double> sums = column_sums(samples, n, columns);
    double total = static_cast<double>(n);
    if (!weights.empty()) {
        total = 0.0;
        for (double w : weights) total += w;
    }
    std::vector<double> means(columns), result(results);
    for (int k = 0; k < columns; ++k) means[k] = sums[k] / total;
    f(means, result);
    for (int i = 0; i < results; ++i) estimates[i].value = result[i];
    if (n < 2) return estimates;
    Spread spread(results);
    for (std::int64_t j = 0; j < n; ++j) {
        const double rest = total - (weights.empty() ? 1.0 : weights[j]);
        for (int k = 0; k < columns; ++k) means[k] = (sums[k] - samples[j * columns + k]) / rest;
        f(means, result);
        for (int i = 0; i < results; ++i) spread.add(i, result[i], static_cast<double>(j + 1));
    }
    for (int i = 0; i < results; ++i)
        estimates[i].error =
            std::sqrt(spread.squares[i] * static_cast<double>(n - 1) / static_cast<double>(n));
    return estimates;
}

std::vector<Estimate> bootstrap(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, int resamples, std::uint64_t seed) {
    std::vector<Estimate> estimates = jackknife(samples, n, columns, results, f);
    std::mt19937_64 generator(seed);
    std::vector<double> means(columns), result(results), count(results, 0.0);
    Spread spread(results);
    for (int resample = 0; resample < resamples; ++resample) {
        std::fill(means.begin(), means.end(), 0.0);
        for (std::int64_t draw = 0; draw < n; ++draw) {
            const auto j = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(n));
            for (int k = 0; k < columns; ++k) means[k] += samples[j * columns + k];
        }
        for (double& mean : means) mean /= static_cast<double>(n);
        f(means, result);
        for (int i = 0; i < results; ++i)
            if (!std::isnan(result[i])) spread.add(i, result[i], count[i] += 1.0);
    }
    for (int i = 0; i < results; ++i)
        estimates[i].error = count[i] > 1.0 ? std::sqrt(spread.squares[i] / (count[i] - 1.0)) : nan_value;
    return estimates;
}

Estimate mean_and_error(const double* data, std::int64_t n, std::int64_t stride) {
    if (n < 1) return {nan_value, nan_value};
    double sum = 0.0;
    for (std::int64_t j = 0; j < n; ++j) sum += data[j * stride];
    const double count = static_cast<double>(n);
    const double mean = sum / count;
    double squares = 0.0;
    for (std::int64_t j = 0; j < n; ++j) squares += (data[j * stride] - mean) * (data[j * stride] - mean);
    return {mean, n < 2 ? nan_value : std::sqrt(squares / (count * (count - 1.0)))};
}

}  // namespace psflip
