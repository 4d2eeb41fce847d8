#pragma once

#include <span>
#include <vector>

namespace psflip {

/// A dense matrix in row-major order.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> data;
    double& at(std::size_t i, std::size_t j) { return data[i * columns + j]; }
    double at(std::size_t i, std::size_t j) const { return data[i * columns + j]; }
};

Matrix multiply(const Matrix& a, const Matrix& b);

/// Natural cubic spline through (x_i, y_i), x ascending, as a linear map: the matrix (points, knots) that
/// takes y to the values at `points` inside [x_0, x_last]. At a knot it is exact. With two knots it is a
/// line.
Matrix spline_matrix(std::span<const double> x, std::span<const double> points);

/// Weighted least-squares polynomial sum_k c_k x^k of the given order as a linear map: the matrix (order + 1,
/// points) that takes y to c, with weights w_i on the squared residuals. Needs more than `order` distinct
/// points. Solved by Householder reflections of the weighted Vandermonde matrix; x should be of order 1.
Matrix polynomial_fit_matrix(std::span<const double> x, std::span<const double> weights, int order);

/// sum_k c_k x^k and its derivative.
double polynomial(std::span<const double> c, double x);
double polynomial_slope(std::span<const double> c, double x);

}  // namespace psflip
