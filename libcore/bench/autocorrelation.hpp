#pragma once

#include <vector>

namespace psflip {

/// Returns sum_i x_i x_{i+t} / (n - t) for t = 0 to n - 1, of values x with mean 0. It uses fast Fourier
/// transforms, with n log n operations.
std::vector<double> autocorrelations(std::vector<double> values);

/// Holds an integrated autocorrelation time in steps, and its error.
struct AutocorrelationTime {
    double tau, error;
};

/// Returns 1/2 + the sum of the normalised autocorrelations up to W, where W is the first t above 6 tau
/// (Sokal). The error is tau sqrt((4 W + 2) / n).
AutocorrelationTime autocorrelation_time(const std::vector<double>& values);

}  // namespace psflip
