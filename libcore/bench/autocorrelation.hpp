#pragma once

// Computes integrated autocorrelation times of measured series.

#include <vector>

namespace psflip {

/// Returns sum_i x_i x_{i+t} / (n - t) for t = 0 to n - 1, where x_0 to x_{n-1} are the n values minus their
/// mean. The work grows as n log n (fast Fourier transforms).
std::vector<double> autocorrelations(std::vector<double> values);

/// Holds an integrated autocorrelation time in steps, with its error.
struct AutocorrelationTime {
    double tau, error;
};

/// Returns tau = 1/2 plus the normalised autocorrelations at t = 1, 2, ..., W - 1. The sum ends at the first
/// t = W above 6 tau, with the tau so far (Sokal), or at n / 2. The error is tau sqrt((4 W + 2) / n).
AutocorrelationTime autocorrelation_time(const std::vector<double>& values);

}  // namespace psflip
