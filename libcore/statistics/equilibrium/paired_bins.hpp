#pragma once

// Finds drifts of disorder averages that single realizations do not show.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/running_average.hpp"

namespace psflip {

/// Holds means over R realizations of the difference D = m_1 - m_k. For a realization with n sweeps, m_1 is
/// the mean in the last log2 bin, (n/2, n], and m_k the mean in the earlier bin k, (n/2^(k+1), n/2^k]. The
/// disorder is equal in both bins, so only drift and thermal noise contribute to D. So D shows a drift far
/// below the error of the averages.
struct PairedDifference {
    std::vector<double> mean, error, z;  ///< (k - 1, temperature); NaN if not known
};

/// Collects the sums behind a PairedDifference, file by file.
class PairedBins {
  public:
    PairedBins() = default;
    PairedBins(int comparisons, int temperatures);

    /// Adds the bins of one file, (bin, temperature, realization), for the realizations at `places`. The file
    /// has more bins than comparisons.
    void add(std::span<const double> bins, std::int64_t realizations, std::span<const std::int64_t> places);
    /// Adds `excess` and `noise` of PackNoise for a share group at one temperature. `count` holds the
    /// measurements in the bins of the file.
    void add_pack(int temperature, double excess, double noise, std::span<const std::int64_t> count);
    /// Adds to the degrees of freedom of all numbers that add_pack received for each temperature.
    void add_dof(double dof) { dof_ += dof; }

    /// Returns means, errors and z. With the measurements c of a bin and f = 1/c_1 + 1/c_k,
    ///     error^2 = v_1 + v_2,
    ///     v_1 = (variance of D over realizations) / R,
    ///     v_2 = max(0, sum of excess f) / R^2.
    /// z is mean / error, converted to the number of standard deviations of a normal variable with the same
    /// two-sided probability. z is 0 if the mean is within 1e-12 of 0. mean / error has R - 1 degrees of
    /// freedom if v_2 is 0. Otherwise it has at most R - 1 and, by Welch and Satterthwaite,
    ///     (v_1 + v_2)^2 / (v_1^2 / (R - 1) + (sum of noise f / R^2)^2 / dof).
    /// This formula has the noise instead of the excess, because the excess is as uncertain as the noise.
    PairedDifference result() const;

  private:
    int comparisons_ = 0, temperatures_ = 0;
    RunningAverage average_;
    std::vector<double> excess_, noise_;
    double dof_ = 0.0;
};

/// Holds the largest |z| over the comparisons k = 1 and 2, all binned_observables and all temperatures. This
/// z says whether the last three log2 bins agree on average.
struct Drift {
    double z = 0.0;  ///< signed; NaN if nothing could be compared
    int observable = 0, comparison = 0, temperature = 0;
    bool within(double threshold) const { return !(z > threshold || z < -threshold); }
};
Drift max_drift(const PairedDifference (&differences)[n_binned_observables], int temperatures);

}  // namespace psflip
