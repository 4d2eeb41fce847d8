#pragma once

#include <span>
#include <vector>

#include "statistics/interpolation.hpp"

namespace psflip {

/// A dimensionless quantity of one lattice size against temperature (ascending), with its standard errors.
struct Curve {
    std::vector<double> temperature, value, error;
};

/// Where two curves cross; NaN where they do not.
struct Crossing {
    double temperature, value;
};

/// The crossing of the curves of a smaller and a larger lattice, in the sense of a transition: the larger one
/// lies above at low temperature (ordered) and below at high temperature. Everything but the curves' values
/// is chosen once, from the curves given to the constructor, so that jackknife samples see one smooth
/// function of the values:
/// 1. D = large - small on the common temperature range, at the temperatures of the curve that has more of
/// them there; the
///    other curve is taken there by a natural cubic spline. Points without a finite value and positive error
///    are left out.
/// 2. The sign change is looked for by the cumulative sum of z = D / error (z cut to -5..5): D > 0 up to
///    its maximum, D < 0 above it. There is none where the sum over either side has less than 1 in size: D
///    never is clearly positive, or never clearly negative.
/// 3. A weighted polynomial fit (weights 1 / error^2) of D in a window around the sign change: all points
/// within `half_width` times
///    its temperature, at least 2 on each side where there are any; cubic from 6 points on, quadratic from 4,
///    else a line. The window is centred once more on the root.
/// 4. The crossing is the root where D falls, and its value that of the same fit to (large + small) / 2.
class CrossingFit {
  public:
    CrossingFit(const Curve& small, const Curve& large, double half_width = 0.2);

    bool found() const { return found_; }
    /// Of the curves given to the constructor.
    Crossing crossing() const { return crossing_; }
    /// Of slightly different values at the same temperatures (all of the curve, also those left out): the
    /// root next to crossing().
    Crossing evaluate(std::span<const double> small, std::span<const double> large) const;

  private:
    struct Points;
    void fit(const Points& points, double centre, double half_width, int below);

    bool found_ = false;
    Crossing crossing_;
    double centre_ = 0.0, lowest_ = 0.0, highest_ = 0.0;  ///< x = T / centre - 1 over the window
    Matrix from_small_, from_large_;  ///< curve values -> coefficients of their fits in the window
};

}  // namespace psflip
