#pragma once

#include <Eigen/Core>
#include <span>

namespace psflip {

using Matrix = Eigen::MatrixXd;

/// Natural cubic spline through (x_i, y_i), x ascending, as a linear map: the matrix (points, knots) that
/// takes y to the values at `points` inside [x_0, x_last]. At a knot it is exact. With two knots it is a
/// line.
Matrix spline_matrix(std::span<const double> x, std::span<const double> points);

/// sum_k c_k x^k.
double polynomial(std::span<const double> c, double x);

}  // namespace psflip
