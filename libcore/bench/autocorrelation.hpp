#pragma once

#include <vector>

namespace psflip {

/// sum_i x_i x_{i+t} / (n - t) for t = 0, ..., n - 1, of values x from which their mean has been taken; by
/// fast Fourier transforms, n log n operations.
std::vector<double> autocorrelations(std::vector<double> values);

/// An integrated autocorrelation time in steps and its error.
struct AutocorrelationTime {
    double tau, error;
};

/// 1/2 + the sum of the normalised autocorrelations up to W, the first t beyond 6 tau (Sokal); error tau
/// sqrt((4 W
/// + 2) / n).
AutocorrelationTime autocorrelation_time(const std::vector<double>& values);

}  // namespace psflip
