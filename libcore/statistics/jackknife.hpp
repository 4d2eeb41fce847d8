#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// An average with its standard error; NaN where it does not exist.
struct Estimate {
    double value;
    double error;
};

/// A function of the averages of several columns: reads `means` (one per column), writes `result`.
using Statistic = std::function<void(std::span<const double> means, std::span<double> result)>;

/// Jackknife over n samples (realizations, or blocks of one series). `samples` has shape (n, columns),
/// row-major; `f` makes `results` numbers of the column averages. Value: f of the averages over all samples
/// (no bias correction). Error: sqrt((n-1)/n sum_j (f_j - mean f)^2), f_j = f of the averages without sample
/// j, made from sums, so that the cost is n times that of f. For f linear this is the standard error of the
/// mean. With n = 1 the error is NaN; likewise where any f_j is NaN. `weights` (n, or empty for all 1):
/// sample j is a sum over weights[j] measurements; averages are sums divided by summed weights.
std::vector<Estimate> jackknife(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, std::span<const double> weights = {});

/// The same value with the error from `resamples` bootstrap samples (n draws with replacement each,
/// std::mt19937_64 with `seed`): slower, used to check the jackknife. Resamples where f is NaN are left out.
std::vector<Estimate> bootstrap(std::span<const double> samples, std::int64_t n, int columns, int results,
                                const Statistic& f, int resamples, std::uint64_t seed);

/// Mean and standard error of the mean of n numbers at data[0], data[stride], ...: the jackknife of the
/// identity.
Estimate mean_and_error(const double* data, std::int64_t n, std::int64_t stride = 1);

}  // namespace psflip
