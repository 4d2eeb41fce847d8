#pragma once

namespace psflip {

/// Returns the probability that |t| is at least `t` for Student's t with `dof` > 0 degrees of freedom.
double student_two_sided(double t, double dof);

/// Returns the number of standard deviations of a normal variable that is exceeded as rarely as `t` by
/// Student's t with `dof` degrees of freedom. The result keeps the sign of t. So a threshold in sigma has one
/// meaning for every dof. The size is at most `largest_sigma`, because a double cannot hold smaller
/// probabilities. NaN gives NaN.
double gaussian_sigma(double t, double dof);

inline constexpr double largest_sigma = 37.0;

/// Returns the factor by which to multiply an error that is estimated with `dof` degrees of freedom. value +-
/// error then covers with the probability of one sigma of a normal variable. The factor is the quantile of
/// Student's t, by its expansion in 1 / dof (Abramowitz and Stegun, 26.7.5). It is 1.4% too small for one
/// degree, 1e-4 for three. Without degrees of freedom it is NaN.
double student_factor(double dof);

}  // namespace psflip
