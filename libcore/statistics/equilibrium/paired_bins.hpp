#pragma once

// Finds drifts of disorder averages that single realizations do not show.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/running_average.hpp"

namespace psflip {

/// Holds means over R realizations of the difference D = m_0 - m_k of two time averages of an observable. m_k
/// is the average in log2 bin k, the sweeps (n/2^(k+1), n/2^k] of a run of n sweeps. Bin 0 is the last bin.
/// The disorder is equal in both bins, so only drift and thermal noise contribute to D. Therefore D reveals
/// drifts that are much smaller than the errors of disorder averages.
struct PairedDifference {
    std::vector<double> mean, error, z;  ///< (k - 1, temperature); NaN if not known
};

/// Collects the sums behind a PairedDifference, file by file.
class PairedBins {
  public:
    PairedBins() = default;
    PairedBins(int comparisons, int temperatures);

    /// Adds the means in the bins of one file, (bin, temperature, realization). `places` are the indices of
    /// the realizations to add. The file has more bins than comparisons.
    void add(std::span<const double> bins, std::int64_t realizations, std::span<const std::int64_t> places);
    /// Adds `excess` and `noise` of PackNoise (thermal/shared_noise.hpp) for a share group at one
    /// temperature. count[b] is the number of measurements in bin b of the file.
    void add_pack(int temperature, double excess, double noise, std::span<const std::int64_t> count);
    /// Adds the degrees of freedom of the share groups that were added with add_pack. They are equal at all
    /// temperatures.
    void add_dof(double dof) { dof_ += dof; }

    /// Returns means, errors and z. With c_k measurements in bin k and f = 1/c_0 + 1/c_k,
    ///     error^2 = v_1 + v_2,
    ///     v_1 = (variance of D over realizations) / R,
    ///     v_2 = max(0, sum of excess * f) / R^2.
    /// The sum is over share groups. z is gaussian_sigma(mean / error), or 0 if |mean| < 1e-12. If v_2 is 0,
    /// the degrees of freedom are R - 1. Otherwise they are the smaller of R - 1 and, by Welch and
    /// Satterthwaite,
    ///     (v_1 + v_2)^2 / (v_1^2 / (R - 1) + (sum of noise * f / R^2)^2 / dof), with the sum dof of add_dof.
    /// This formula has the noise instead of the excess, because the excess is as uncertain as the noise.
    PairedDifference result() const;

  private:
    int comparisons_ = 0, temperatures_ = 0;
    RunningAverage average_;
    std::vector<double> excess_, noise_;
    double dof_ = 0.0;
};

/// Holds the z of largest |z| over the comparisons k = 1 and 2, all binned_observables and all temperatures.
/// This z says whether the disorder averages in the last three log2 bins agree.
struct Drift {
    double z = 0.0;  ///< signed; NaN if nothing could be compared
    int observable = 0, comparison = 0, temperature = 0;
    bool within(double threshold) const { return !(z > threshold || z < -threshold); }
};
Drift max_drift(const PairedDifference (&differences)[n_binned_observables], int temperatures);

}  // namespace psflip
