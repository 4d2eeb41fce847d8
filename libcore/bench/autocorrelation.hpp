#pragma once

// Computes integrated autocorrelation times of measured series.

#include <vector>

namespace psflip {

/// Returns sum_i x_i x_{i+t} / (n - t) for t = 0 to n - 1, for n values x with mean 0. The work is n log n,
/// by fast Fourier transforms.
std::vector<double> autocorrelations(std::vector<double> values);

/// Holds an integrated autocorrelation time in steps, with its error.
struct AutocorrelationTime {
    double tau, error;
};

/// Returns 1/2 plus the sum of the normalised autocorrelations up to W, the first t above 6 tau (Sokal). The
/// error is tau sqrt((4 W + 2) / n).
AutocorrelationTime autocorrelation_time(const std::vector<double>& values);

}  // namespace psflip
