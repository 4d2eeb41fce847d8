#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// Holds an average and its standard error. A number that does not exist is NaN.
struct Estimate {
    double value;
    double error;
};

/// A function of the averages of several columns. It reads `means` (one per column) and writes `result`.
using Statistic = std::function<void(std::span<const double> means, std::span<double> result)>;

/// Returns the jackknife over n samples (realizations, or blocks of one series). `samples` is (n, columns),
/// row-major; `f` makes `results` numbers of the column averages. The value is f of the averages over all
/// samples (no bias correction). The error is sqrt((n-1)/n sum_j (f_j - mean f)^2), where f_j is f of the
/// averages without sample j.
/// Averages are made from sums, so the cost is n times the cost of f. For linear f the error is the standard
/// error of the mean. It is NaN with n = 1, and if any f_j is NaN. weights: (n), or empty for all 1. Sample j
/// is a sum over weights[j] measurements, and averages are sums divided by summed weights.
std::vector<Estimate> jackknife(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, std::span<const double> weights = {});

/// Returns mean and standard error of the mean of n numbers at data[0], data[stride], .... It is the
/// jackknife of the identity.
Estimate mean_and_error(const double* data, std::int64_t n, std::int64_t stride = 1);

}  // namespace psflip
