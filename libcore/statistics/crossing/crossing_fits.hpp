#pragma once

#include <vector>

#include "statistics/crossing/correlated_fit.hpp"
#include "statistics/crossing/curve_difference.hpp"

namespace psflip {

/// Index of the last point below the best change of sign of z (D / error, ascending temperature) from
/// positive to not positive, see crossing.hpp; -1 if there is none that 2 sigma on both sides support. z is
/// cut to -5..5.
int last_below(std::vector<double> z);

/// A fit to some of the points of D.
struct Window {
    std::vector<std::size_t> points;  ///< ascending
    CorrelatedFit fit;
};

/// What a window's fit gives. weight: exp(dof - chi2' / 2), see crossing.hpp.
struct FitResult {
    double chi2, weight, root;  ///< root in x = T / middle of the bracket - 1; NaN if there is none
};

/// The average root of all windows.
struct Root {
    double temperature = 0.0;   ///< NaN where no window has a root
    double interpolated = 0.0;  ///< the part of the weight of the interpolation
    std::size_t leading = 0;    ///< window of the largest weight
};

/// The fits to D = large - small around its sign change, of one pair of curves; made once, applied to D of
/// every jackknife sample. Steps 3 and the interpolation's error of crossing.hpp.
class CrossingFits {
  public:
    /// `curves` must live as long; last_below as above, not -1; samples: those behind the covariance.
    CrossingFits(const CurveDifference& curves, int last_below, int samples);

    Root root(const std::vector<double>& difference) const;
    FitResult result(const Window& window, const std::vector<double>& difference) const;
    /// What the interpolation of the first window may be off by, in temperature.
    double interpolation_error(const std::vector<double>& difference) const;
    const Window& window(std::size_t i) const { return windows_[i]; }

  private:
    Window window_of(std::vector<std::size_t> points) const;
    double x_of(std::size_t point) const { return curves_.temperature()[point] / middle_ - 1.0; }

    const CurveDifference& curves_;
    std::size_t below_;  ///< last point below the sign change
    int samples_;
    double middle_;                ///< of the bracket
    double lowest_, highest_;      ///< of the root, in x = T / middle - 1
    std::vector<Window> windows_;  ///< the first one is the interpolation
};

}  // namespace psflip
