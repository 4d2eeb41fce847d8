#include "statistics/crossing/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace psflip {

namespace {

/// Second derivatives at the knots of the natural spline, as a linear map of y: (knots, knots). Solves the
/// tridiagonal system h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (slope_i - slope_(i-1)), m =
/// 0 at the ends.
Matrix second_derivatives(std::span<const double> x) {
    const auto n = static_cast<Eigen::Index>(x.size());
    Matrix m = Matrix::Zero(n, n);
    if (n < 3) return m;
    Eigen::VectorXd upper = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 1; i + 1 < n; ++i) {
        const double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
        m(i, i - 1) += 6.0 / left;
        m(i, i) -= 6.0 / left + 6.0 / right;
        m(i, i + 1) += 6.0 / right;
        const double lower = i > 1 ? left : 0.0;
        const double diagonal = 2.0 * (left + right) - lower * upper[i - 1];
        upper[i] = i + 2 < n ? right / diagonal : 0.0;
        m.row(i) = (m.row(i) - lower * m.row(i - 1)) / diagonal;
    }
    for (Eigen::Index i = n - 2; i >= 1; --i) m.row(i) -= upper[i] * m.row(i + 1);
    return m;
}

}  // namespace

Matrix spline_matrix(std::span<const double> x, std::span<const double> points) {
    if (x.size() < 2) throw std::invalid_argument("a spline needs two knots");
    const Matrix m = second_derivatives(x);
    Matrix result = Matrix::Zero(static_cast<Eigen::Index>(points.size()), m.cols());
    for (Eigen::Index p = 0; p < result.rows(); ++p) {
        const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, points[p]);
        const Eigen::Index i = above - x.begin() - 1;
        const double h = x[i + 1] - x[i];
        const double b = (points[p] - x[i]) / h, a = 1.0 - b;
        result(p, i) += a;
        result(p, i + 1) += b;
        const double curve_a = (a * a * a - a) * h * h / 6.0, curve_b = (b * b * b - b) * h * h / 6.0;
        result.row(p) += curve_a * m.row(i) + curve_b * m.row(i + 1);
    }
    return result;
}

double polynomial(std::span<const double> c, double x) {
    double value = 0.0;
    for (std::size_t k = c.size(); k-- > 0;) value = value * x + c[k];
    return value;
}

}  // namespace psflip
