#pragma once

#include <string>
#include <vector>

#include "statistics/average/disorder_average.hpp"

namespace psflip {

/// The crossing of the curves of two sizes; NaN where there is none.
struct CrossingEstimate {
    int L1, L2;                   ///< L1 < L2
    Estimate temperature, value;  ///< NaN errors where a jackknife sample has no crossing
    double interpolation;         ///< part of temperature.error: what interpolation may be off by
    // The fit of the largest weight; all NaN or 0 without a crossing.
    double chi2, p;          ///< p NaN for dof 0, an interpolation
    int dof, degree;         ///< points of the fit - degree - 1, degree of the polynomial
    double lowest, highest;  ///< temperatures of its first and last point
    std::string note;        ///< why there is no crossing or no error, what is to be known of a fit; or empty
};

/// The crossing in the sense of a transition: the larger lattice lies above at low temperature (ordered) and
/// below at high temperature.
/// 1. D = large - small at the temperatures of the curve that has more of them in the common range; the other
///    one is taken there by its natural cubic spline. Points without finite values are left out. The
///    covariance of D over temperatures is that of the jackknife samples, with shared_error in squares on its
///    diagonal.
/// 2. The bracket: the two neighbouring temperatures between which D turns from > 0 to <= 0 that split best
///    what lies below and above. With z = D / error cut to -5..5, the smaller of the largest sum of z over
///    points that end below and the largest sum of -z over points that begin above is largest. There is none
///    where that is below 1, where no point below has z >= 2, or where no point above has z <= -2. There is
///    none either where one of the curves lies there within 3 errors of its value at infinite temperature:
///    curves of the paramagnet are noise around it, which crosses anywhere.
/// 3. Cubic fits (CorrelatedFit) to the n points nearest to the middle of the bracket, n = 4 (an
///    interpolation), 5, 6, ... within 20% of the temperature, up to 4 + (samples) / 10; with fewer than four
///    points in all, the polynomial through them. Each gives the root where it falls, from one interval below
///    the bracket to one above. They are averaged with the weights exp(dof - chi2' / 2), chi2' = chi2
///    (G - dof) / (G - 1) for the covariance of G samples: the Akaike weights of fits to a part of the data
///    (arXiv:2008.01069). So the window shrinks until chi2 is acceptable, and every jackknife sample weighs
///    windows anew without jumps. The fit of the largest weight never has a chi2' above 2 dof; it is the one
///    reported. Bracket, windows and covariance are those of all realizations.
/// 4. The value is the mean of both curves there, by their splines.
/// Errors: jackknife over groups, shared_error propagated in squares (taken for independent at different
/// temperatures), and the interpolation's part, of the weight that the interpolation of step 3 has: the
/// largest change of its root when its first or last point is left out (half of the bracket where that has
/// no root).
CrossingEstimate crossing(const ResampledCurve& small, const ResampledCurve& large);

/// For all pairs L1 < L2 of samples (ascending L), in the order (L1, L2): crossings of an average.
std::vector<CrossingEstimate> crossings(const std::vector<DisorderSample>& samples, Average average);

/// Those of all crossing_averages of a study.
struct CrossingCurve {
    Average average;
    std::vector<CrossingEstimate> pairs;
};
std::vector<CrossingCurve> crossing_curves(const std::vector<DisorderSample>& samples);

}  // namespace psflip
