#include "statistics/jackknife.hpp"

#include <cmath>

#include "base/numbers.hpp"

namespace psflip {

std::vector<Estimate> jackknife(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, std::span<const double> weights) {
    std::vector<Estimate> estimates(results, {nan_value, nan_value});
    if (n < 1) return estimates;
    std::vector<double> sums(columns, 0.0), means(columns), result(results);
    for (std::int64_t j = 0; j < n; ++j)
        for (int k = 0; k < columns; ++k) sums[k] += samples[j * columns + k];
    double total = weights.empty() ? static_cast<double>(n) : 0.0;
    for (double w : weights) total += w;
    for (int k = 0; k < columns; ++k) means[k] = sums[k] / total;
    f(means, result);
    for (int i = 0; i < results; ++i) estimates[i].value = result[i];
    if (n < 2) return estimates;
    std::vector<double> mean(results, 0.0), squares(results, 0.0);  // of f_j, by Welford
    for (std::int64_t j = 0; j < n; ++j) {
        const double rest = total - (weights.empty() ? 1.0 : weights[j]);
        for (int k = 0; k < columns; ++k) means[k] = (sums[k] - samples[j * columns + k]) / rest;
        f(means, result);
        for (int i = 0; i < results; ++i) {
            const double before = result[i] - mean[i];
            mean[i] += before / static_cast<double>(j + 1);
            squares[i] += before * (result[i] - mean[i]);
        }
    }
    for (int i = 0; i < results; ++i)
        estimates[i].error = std::sqrt(squares[i] * static_cast<double>(n - 1) / static_cast<double>(n));
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
