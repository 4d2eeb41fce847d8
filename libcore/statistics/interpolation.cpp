#include "statistics/interpolation.hpp"

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

Matrix polynomial_fit_matrix(std::span<const double> x, std::span<const double> weights, int order) {
    const std::size_t n = x.size(), terms = static_cast<std::size_t>(order) + 1;
    if (n < terms) throw std::invalid_argument("too few points for the polynomial");
    Matrix a{n, terms, std::vector<double>(n * terms)};
    Matrix q{n, n, std::vector<double>(n * n, 0.0)};  // becomes Q^T times the weights
    for (std::size_t i = 0; i < n; ++i) {
        const double root = std::sqrt(weights[i]);
        q.at(i, i) = root;
        for (std::size_t k = 0; k < terms; ++k) a.at(i, k) = root * std::pow(x[i], static_cast<double>(k));
    }
    const auto reflect = [n](Matrix& target, const std::vector<double>& v, double norm, std::size_t from) {
        for (std::size_t j = 0; j < target.columns; ++j) {
            double dot = 0.0;
            for (std::size_t i = from; i < n; ++i) dot += v[i] * target.at(i, j);
            for (std::size_t i = from; i < n; ++i) target.at(i, j) -= 2.0 * dot / norm * v[i];
        }
    };
    for (std::size_t k = 0; k < terms; ++k) {
        std::vector<double> v(n, 0.0);
        double length = 0.0;
        for (std::size_t i = k; i < n; ++i) length += (v[i] = a.at(i, k)) * a.at(i, k);
        v[k] += std::copysign(std::sqrt(length), v[k]);
        double norm = 0.0;
        for (std::size_t i = k; i < n; ++i) norm += v[i] * v[i];
        if (norm == 0.0) throw std::invalid_argument("too few distinct points for the polynomial");
        reflect(a, v, norm, k);
        reflect(q, v, norm, k);
    }
    Matrix c{terms, n, std::vector<double>(terms * n, 0.0)};
    for (std::size_t k = terms; k-- > 0;)
        for (std::size_t j = 0; j < n; ++j) {
            double rest = q.at(k, j);
            for (std::size_t l = k + 1; l < terms; ++l) rest -= a.at(k, l) * c.at(l, j);
            c.at(k, j) = rest / a.at(k, k);
        }
    return c;
}

double polynomial(std::span<const double> c, double x) {
    double value = 0.0;
    for (std::size_t k = c.size(); k-- > 0;) value = value * x + c[k];
    return value;
}

double polynomial_slope(std::span<const double> c, double x) {
    double slope = 0.0;
    for (std::size_t k = c.size(); k-- > 1;) slope = slope * x + static_cast<double>(k) * c[k];
    return slope;
}

}  // namespace psflip
