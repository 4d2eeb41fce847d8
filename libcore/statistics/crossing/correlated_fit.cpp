#include "statistics/crossing/correlated_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/numbers.hpp"
#include "statistics/student.hpp"

namespace psflip {

namespace {

constexpr double least_pivot = 1e-10;  ///< of a correlation matrix, whose diagonal is 1

auto vector(std::span<const double> x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

auto vector(std::vector<double>& x) {
    return Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Matrix powers(const std::vector<double>& x, int degree) {
    Matrix result(static_cast<Eigen::Index>(x.size()), degree + 1);
    for (Eigen::Index i = 0; i < result.rows(); ++i)
        for (int k = 0; k <= degree; ++k) result(i, k) = std::pow(x[i], k);
    return result;
}

}  // namespace

Matrix whitening(const Matrix& covariance) {
    const Eigen::VectorXd variance = covariance.diagonal();
    if (!(variance.array() > 0.0).all()) return {};
    const Eigen::VectorXd scale = variance.array().rsqrt();
    const Eigen::LLT<Matrix> factors(scale.asDiagonal() * covariance * scale.asDiagonal());
    const Matrix lower = factors.matrixL();
    if (factors.info() != Eigen::Success || !(lower.diagonal().array().square() > least_pivot).all())
        return {};
    const Matrix scales = scale.asDiagonal();
    return factors.matrixL().solve(scales);
}

CorrelatedFit::CorrelatedFit(std::vector<double> x, const Matrix& covariance, int degree)
    : x_(std::move(x)), degree_(degree) {
    if (dof() < 0) throw std::invalid_argument("too few points for the polynomial");
    white_ = dof() == 0 ? Matrix(Matrix::Identity(points(), points())) : whitening(covariance);
    if (white_.rows() > 0) map_ = (white_ * powers(x_, degree)).householderQr().solve(white_);
}

std::vector<double> CorrelatedFit::coefficients(std::span<const double> y) const {
    std::vector<double> c(static_cast<std::size_t>(map_.rows()));
    vector(c) = map_ * vector(y);
    return c;
}

double CorrelatedFit::chi2(std::span<const double> y, std::span<const double> coefficients) const {
    Eigen::VectorXd rest(points());
    for (int i = 0; i < points(); ++i) rest[i] = y[i] - polynomial(coefficients, x_[i]);
    return (white_ * rest).squaredNorm();
}

double hotelling_probability(double chi2, int dof, int n) {
    if (dof < 1 || n <= dof || !(chi2 >= 0.0)) return nan_value;
    return f_above(chi2 * (n - dof) / (static_cast<double>(dof) * (n - 1)), dof, n - dof);
}

}  // namespace psflip
