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

/// sum_k c_k x^k.
double polynomial(std::span<const double> c, double x);

}  // namespace psflip
