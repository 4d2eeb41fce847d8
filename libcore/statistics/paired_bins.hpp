#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/running_average.hpp"

namespace psflip {

/// Means over R realizations of D = m_1 - m_k, m_1 the mean of a realization in the last log2 bin of its run,
/// (n/2, n], m_k that in the bin k before it, (n/2^(k+1), n/2^k]. The disorder, the same in both, drops out:
/// what is left is drift and thermal noise, so that it sees a drift far below the error of the averages.
struct PairedDifference {
    std::vector<double> mean, error, z;  ///< (k - 1, temperature); NaN where there is none
};

/// Sums for it, file by file.
class PairedBins {
  public:
    PairedBins() = default;
    PairedBins(int comparisons, int temperatures);

    int comparisons() const { return comparisons_; }
    /// Bins of one file, (bin, temperature, realization) with `realizations` of them, of which those at
    /// `places` count. It has more bins than comparisons.
    void add(std::span<const double> bins, std::int64_t realizations, std::span<const std::int64_t> places);
    /// What the realizations of a pack, which share random numbers, add to the variance of the sum of D over
    /// them, at one temperature: S of shared_variance, with the measurements that it was of, and those in
    /// each of the bins of the file. Noise of means over c measurements goes with 1/c: S measurements (1/c_1
    /// + 1/c_k).
    void add_shared(int temperature, double shared, double measurements, std::span<const std::int64_t> count);

    /// error^2 = (variance of D over realizations) / R + max(0, sum of add_shared) / R^2; z is mean / error
    /// turned into the sigma of a normal variable with R - 1 degrees of freedom, 0 for a mean within 1e-12.
    PairedDifference result() const;

  private:
    int comparisons_ = 0, temperatures_ = 0;
    RunningAverage average_;
    std::vector<double> shared_;
};

/// The largest |z| of the comparisons k = 1 and 2 of all binned_observables and temperatures: whether the
/// last three log2 bins agree on average.
struct Drift {
    double z = 0.0;  ///< signed; NaN where nothing could be compared
    int observable = 0, comparison = 0, temperature = 0;
    bool within(double threshold) const { return !(z > threshold || z < -threshold); }
};
Drift largest_drift(const PairedDifference (&differences)[n_binned_observables], int temperatures);

}  // namespace psflip
