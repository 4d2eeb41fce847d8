#include "statistics/crossing/correlated_fit.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/numbers.hpp"
#include "statistics/student.hpp"

namespace psflip {

namespace {

constexpr double least_pivot = 1e-10;  ///< of a correlation matrix, whose diagonal is 1

/// The inverse of a symmetric matrix with unit diagonal from L L^T = matrix; empty where a pivot is too
/// small.
Matrix inverse_of_correlation(Matrix a) {
    const std::size_t n = a.rows;
    for (std::size_t j = 0; j < n; ++j) {
        double pivot = a.at(j, j);
        for (std::size_t k = 0; k < j; ++k) pivot -= a.at(j, k) * a.at(j, k);
        if (!(pivot > least_pivot)) return {};
        a.at(j, j) = std::sqrt(pivot);
        for (std::size_t i = j + 1; i < n; ++i) {
            for (std::size_t k = 0; k < j; ++k) a.at(i, j) -= a.at(i, k) * a.at(j, k);
            a.at(i, j) /= a.at(j, j);
        }
    }
    Matrix inverse{n, n, std::vector<double>(n * n, 0.0)};
    for (std::size_t c = 0; c < n; ++c) {
        std::vector<double> y(n, 0.0);
        for (std::size_t i = c; i < n; ++i) {  // L y = e_c
            double rest = i == c ? 1.0 : 0.0;
            for (std::size_t k = c; k < i; ++k) rest -= a.at(i, k) * y[k];
            y[i] = rest / a.at(i, i);
        }
        for (std::size_t i = n; i-- > 0;) {  // L^T x = y
            for (std::size_t k = i + 1; k < n; ++k) y[i] -= a.at(k, i) * inverse.at(k, c);
            inverse.at(i, c) = y[i] / a.at(i, i);
        }
    }
    return inverse;
}

Matrix transposed(const Matrix& a) {
    Matrix result{a.columns, a.rows, std::vector<double>(a.data.size())};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.columns; ++j) result.at(j, i) = a.at(i, j);
    return result;
}

Matrix identity(std::size_t n) {
    Matrix result{n, n, std::vector<double>(n * n, 0.0)};
    for (std::size_t i = 0; i < n; ++i) result.at(i, i) = 1.0;
    return result;
}

Matrix powers(const std::vector<double>& x, int degree) {
    Matrix result{x.size(), static_cast<std::size_t>(degree) + 1, {}};
    for (double point : x)
        for (int k = 0; k <= degree; ++k) result.data.push_back(std::pow(point, k));
    return result;
}

}  // namespace

Matrix inverse_of_covariance(const Matrix& covariance) {
    const std::size_t n = covariance.rows;
    std::vector<double> scale;
    for (std::size_t i = 0; i < n; ++i) {
        if (!(covariance.at(i, i) > 0.0)) return {};
        scale.push_back(1.0 / std::sqrt(covariance.at(i, i)));
    }
    Matrix correlation = covariance;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) correlation.at(i, j) *= scale[i] * scale[j];
    Matrix inverse = inverse_of_correlation(std::move(correlation));
    for (std::size_t i = 0; i < inverse.rows; ++i)
        for (std::size_t j = 0; j < n; ++j) inverse.at(i, j) *= scale[i] * scale[j];
    return inverse;
}

CorrelatedFit::CorrelatedFit(std::vector<double> x, const Matrix& covariance, int degree)
    : x_(std::move(x)), degree_(degree) {
    if (dof() < 0) throw std::invalid_argument("too few points for the polynomial");
    inverse_ = inverse_of_covariance(dof() == 0 ? identity(x_.size()) : covariance);
    if (!possible()) return;
    // c = (X^T C^-1 X)^-1 X^T C^-1 y
    const Matrix design = powers(x_, degree);
    const Matrix weighted = multiply(transposed(design), inverse_);
    const Matrix normal = inverse_of_covariance(multiply(weighted, design));
    if (normal.rows == 0)
        inverse_ = {};
    else
        map_ = multiply(normal, weighted);
}

std::vector<double> CorrelatedFit::coefficients(std::span<const double> y) const {
    std::vector<double> c(map_.rows, 0.0);
    for (std::size_t k = 0; k < map_.rows; ++k)
        for (std::size_t i = 0; i < map_.columns; ++i) c[k] += map_.at(k, i) * y[i];
    return c;
}

double CorrelatedFit::chi2(std::span<const double> y, std::span<const double> coefficients) const {
    std::vector<double> rest;
    for (std::size_t i = 0; i < x_.size(); ++i) rest.push_back(y[i] - polynomial(coefficients, x_[i]));
    double sum = 0.0;
    for (std::size_t i = 0; i < x_.size(); ++i)
        for (std::size_t j = 0; j < x_.size(); ++j) sum += rest[i] * inverse_.at(i, j) * rest[j];
    return sum;
}

double hotelling_probability(double chi2, int dof, int n) {
    if (dof < 1 || n <= dof || !(chi2 >= 0.0)) return nan_value;
    return f_above(chi2 * (n - dof) / (static_cast<double>(dof) * (n - 1)), dof, n - dof);
}

}  // namespace psflip
