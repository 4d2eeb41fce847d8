#pragma once

#include <span>
#include <vector>

#include "statistics/crossing/interpolation.hpp"

namespace psflip {

/// W with |W y|^2 = y^T C^-1 y for the covariance C: the inverse of its Cholesky factor. Empty (no rows)
/// where C is not positive definite or nearly singular: some value has less than 1e-10 of its variance left
/// when those before it are known.
Matrix whitening(const Matrix& covariance);

/// Polynomial of a given degree through correlated values: generalised least squares, which minimises
/// chi2 = (y - X c)^T C^-1 (y - X c), C the full covariance of the values. The coefficients are a linear map
/// of y that is made once. With as many points as coefficients (dof 0) it goes through all of them, whatever
/// their covariance.
class CorrelatedFit {
  public:
    /// x: distinct, more than `degree`; covariance (x, x) of the values.
    CorrelatedFit(std::vector<double> x, const Matrix& covariance, int degree);

    bool possible() const { return map_.rows() > 0; }  ///< false for a nearly singular covariance
    int points() const { return static_cast<int>(x_.size()); }
    int degree() const { return degree_; }
    int dof() const { return points() - degree_ - 1; }
    std::vector<double> coefficients(std::span<const double> y) const;
    double chi2(std::span<const double> y, std::span<const double> coefficients) const;

  private:
    std::vector<double> x_;
    int degree_;
    Matrix white_;  ///< (x, x), of the covariance
    Matrix map_;    ///< (degree + 1, x): values to coefficients
};

/// Probability of a larger chi2 where the covariance was estimated from n samples: chi2 is Hotelling's T^2 of
/// the dof directions that the fit leaves, so F = chi2 (n - dof) / (dof (n - 1)) follows the F distribution
/// with dof and n - dof degrees of freedom. NaN for dof < 1 or n <= dof.
double hotelling_probability(double chi2, int dof, int n);

}  // namespace psflip
