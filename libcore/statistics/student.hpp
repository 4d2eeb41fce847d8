#pragma once

// Converts errors with few degrees of freedom by Student's t.

namespace psflip {

/// Returns the two-sided probability of t: a variable with Student's distribution with dof > 0 degrees of
/// freedom is at least |t| in size.
double student_two_sided(double t, double dof);

/// Converts t to standard deviations of a normal variable with the same two-sided probability
/// (student_two_sided) and the sign of t. A threshold in sigma then has the same meaning for every dof. The
/// result is at most `max_sigma` in size, because a double cannot hold smaller probabilities. NaN gives NaN.
double gaussian_sigma(double t, double dof);

inline constexpr double max_sigma = 37.0;

/// Returns the factor by which to multiply an error that was estimated with `dof` degrees of freedom. value
/// +- error then contains the true value with the probability of one sigma of a normal variable, 68%. The
/// factor is the quantile of Student's t at this probability, by its expansion in 1 / dof (Abramowitz and
/// Stegun, 26.7.5). The expansion is too small by 1.4% for dof 1, and by a fraction of 1e-4 for dof 3.
/// Returns NaN unless dof > 0.
double student_factor(double dof);

}  // namespace psflip
