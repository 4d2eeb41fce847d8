#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/running_average.hpp"

namespace psflip {

/// Holds means over R realizations of D = m_1 - m_k. m_1 is the mean of a realization in the last log2 bin of
/// its run, (n/2, n], and m_k its mean in the bin k before, (n/2^(k+1), n/2^k]. The disorder is equal in both
/// and drops out. Only drift and thermal noise are left, so a drift far below the error of the averages
/// shows.
struct PairedDifference {
    std::vector<double> mean, error, z;  ///< (k - 1, temperature); NaN: not known
};

/// Adds up the sums behind a PairedDifference, file by file.
class PairedBins {
  public:
    PairedBins() = default;
    PairedBins(int comparisons, int temperatures);

    /// Adds the bins of one file, (bin, temperature, realization). Only the realizations at `places` count.
    /// The file must have more bins than comparisons.
    void add(std::span<const double> bins, std::int64_t realizations, std::span<const std::int64_t> places);
    /// Adds `excess` and `noise` (PackNoise) of a pack at one temperature. count: measurements in the bins of
    /// the file.
    void add_pack(int temperature, double excess, double noise, std::span<const std::int64_t> count);
    /// Adds the degrees of freedom of all numbers given to add_pack at each temperature.
    void add_dof(double dof) { dof_ += dof; }

    /// Returns the means and their errors. With f = 1/c_1 + 1/c_k and c the measurements in a bin, error^2 =
    /// v_1 + v_2. Here v_1 = (variance of D over realizations) / R and v_2 = max(0, sum of excess f) / R^2. z
    /// is mean / error, turned into the sigma of a normal variable. Without v_2 its degrees of freedom are R
    /// - 1. With v_2 they are, by Welch and Satterthwaite, (v_1 + v_2)^2 / (v_1^2 / (R - 1) + (sum of noise f
    /// / R^2)^2 / dof), because excess is as uncertain as the noise that it is a difference of. z is 0 for a
    /// mean within 1e-12.
    PairedDifference result() const;

  private:
    int comparisons_ = 0, temperatures_ = 0;
    RunningAverage average_;
    std::vector<double> excess_, noise_;
    double dof_ = 0.0;
};

/// Holds the largest |z| of the comparisons k = 1 and 2 of all binned_observables and temperatures. It shows
/// whether the last three log2 bins agree on average.
struct Drift {
    double z = 0.0;  ///< signed; NaN if nothing could be compared
    int observable = 0, comparison = 0, temperature = 0;
    bool within(double threshold) const { return !(z > threshold || z < -threshold); }
};
/// Returns the largest drift among the differences of all binned_observables.
Drift largest_drift(const PairedDifference (&differences)[n_binned_observables], int temperatures);

}  // namespace psflip
