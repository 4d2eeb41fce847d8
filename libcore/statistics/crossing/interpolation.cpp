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
    const std::size_t n = x.size();
    Matrix m{n, n, std::vector<double>(n * n, 0.0)};
    if (n < 3) return m;
    std::vector<double> upper(n, 0.0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
        const double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
        m.at(i, i - 1) += 6.0 / left;
        m.at(i, i) -= 6.0 / left + 6.0 / right;
        m.at(i, i + 1) += 6.0 / right;
        const double lower = i > 1 ? left : 0.0;
        const double diagonal = 2.0 * (left + right) - lower * upper[i - 1];
        upper[i] = i + 2 < n ? right / diagonal : 0.0;
        for (std::size_t j = 0; j < n; ++j) m.at(i, j) = (m.at(i, j) - lower * m.at(i - 1, j)) / diagonal;
    }
    for (std::size_t i = n - 2; i >= 1; --i)
        for (std::size_t j = 0; j < n; ++j) m.at(i, j) -= upper[i] * m.at(i + 1, j);
    return m;
}

}  // namespace

Matrix multiply(const Matrix& a, const Matrix& b) {
    if (a.columns != b.rows) throw std::invalid_argument("matrices do not match");
    Matrix product{a.rows, b.columns, std::vector<double>(a.rows * b.columns, 0.0)};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t j = 0; j < b.columns; ++j) product.at(i, j) += a.at(i, k) * b.at(k, j);
    return product;
}

Matrix spline_matrix(std::span<const double> x, std::span<const double> points) {
    const std::size_t n = x.size();
    if (n < 2) throw std::invalid_argument("a spline needs two knots");
    const Matrix m = second_derivatives(x);
    Matrix result{points.size(), n, std::vector<double>(points.size() * n, 0.0)};
    for (std::size_t p = 0; p < points.size(); ++p) {
        const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, points[p]);
        const std::size_t i = static_cast<std::size_t>(above - x.begin()) - 1;
        const double h = x[i + 1] - x[i];
        const double b = (points[p] - x[i]) / h, a = 1.0 - b;
        result.at(p, i) += a;
        result.at(p, i + 1) += b;
        const double curve_a = (a * a * a - a) * h * h / 6.0, curve_b = (b * b * b - b) * h * h / 6.0;
        for (std::size_t j = 0; j < n; ++j)
            result.at(p, j) += curve_a * m.at(i, j) + curve_b * m.at(i + 1, j);
    }
    return result;
}

double polynomial(std::span<const double> c, double x) {
    double value = 0.0;
    for (std::size_t k = c.size(); k-- > 0;) value = value * x + c[k];
    return value;
}

}  // namespace psflip
