#pragma once

// Computes errors of functions of averages.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// Holds an average and its standard error. A value or an error that does not exist is NaN.
struct Estimate {
    double value;
    double error;
};

/// Computes results from column averages. `means` has one average per column. The function writes `result`.
using Statistic = std::function<void(std::span<const double> means, std::span<double> result)>;

/// Applies f to the column averages of n samples and returns values with jackknife errors. The samples are
/// realizations, or blocks of one series.
/// - `samples` has the axes (n, columns). `f` computes `results` numbers from the column averages.
/// - The value is f of the averages over all samples, without bias correction.
/// - The error is sqrt((n-1)/n sum_j (f_j - mean f)^2), where f_j is f of the averages without sample j. For
///   linear f this is the standard error of the mean. The error is NaN if n = 1 or if any f_j is NaN.
/// - `weights` has n numbers, or is empty if all weights are 1. Sample j is a sum over weights[j]
///   measurements, and averages are sums divided by summed weights.
/// - The cost is n + 1 evaluations of f.
std::vector<Estimate> jackknife(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, std::span<const double> weights = {});

/// Returns mean and standard error of the mean of the n numbers data[0], data[stride], ...
Estimate mean_and_error(const double* data, std::int64_t n, std::int64_t stride = 1);

}  // namespace psflip
