#pragma once

namespace psflip {

/// Probability that |t| is at least `t` for Student's t with `dof` degrees of freedom (dof > 0).
double student_two_sided(double t, double dof);

/// Number of standard deviations of a normal variable that is exceeded as rarely as `t` is by Student's t
/// with `dof` degrees of freedom; keeps the sign of t. So a threshold in sigma means the same whatever dof
/// is. At most `largest_sigma` in size (a double cannot hold smaller probabilities). NaN gives NaN.
double gaussian_sigma(double t, double dof);

inline constexpr double largest_sigma = 37.0;

/// Returns the factor that makes value +- error cover with the probability of one sigma of a normal variable,
/// if the error is estimated with `dof` degrees of freedom: the quantile of Student's t, by its expansion in
/// 1 / dof (Abramowitz and Stegun, 26.7.5); 1.4% too small for one degree, 1e-4 for three. NaN for none.
double student_factor(double dof);

}  // namespace psflip
