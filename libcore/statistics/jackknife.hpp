#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// An average with its standard error; NaN if it does not exist.
struct Estimate {
    double value;
    double error;
};

/// A function of the averages of several columns: reads `means` (one per column), writes `result`.
using Statistic = std::function<void(std::span<const double> means, std::span<double> result)>;

/// Jackknife over n samples (realizations, or blocks of one series). `samples` has shape (n, columns),
/// row-major; `f` makes `results` numbers of the column averages. Value: f of the averages over all samples
/// (no bias correction). Error: sqrt((n-1)/n sum_j (f_j - mean f)^2), with f of the averages without sample j
/// as f_j. Averages are made from sums, so that the cost is n times that of f. For f linear the error is the
/// standard error of the mean. It is NaN with n = 1, and if any f_j is NaN. `weights` (n, or empty for all
/// 1): sample j is a sum over weights[j] measurements; averages are sums divided by summed weights.
std::vector<Estimate> jackknife(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, std::span<const double> weights = {});

/// Mean and standard error of the mean of n numbers at data[0], data[stride], ...: the jackknife of the
/// identity.
Estimate mean_and_error(const double* data, std::int64_t n, std::int64_t stride = 1);

}  // namespace psflip
