#pragma once

#include <span>
#include <vector>

#include "statistics/average/disorder_average.hpp"
#include "statistics/crossing/interpolation.hpp"

namespace psflip {

/// Returns whether the value and all jackknife samples of a point are finite, and the samples differ.
bool is_usable(const ResampledCurve& curve, std::size_t t);

/// D = large - small of two curves at common temperatures, as a linear map of the values of both: at the
/// temperatures of the curve that has more of them in the common range, the other one by its natural cubic
/// spline. Points of a curve where a value or a jackknife sample is not finite, or that never vary, are left
/// out.
class CurveDifference {
  public:
    CurveDifference(const ResampledCurve& small, const ResampledCurve& large);

    const std::vector<double>& temperature() const { return temperature_; }
    std::vector<double> difference(std::span<const double> small, std::span<const double> large) const;
    /// (large + small) / 2 at any common temperature, by the splines of both.
    double mean(std::span<const double> small, std::span<const double> large, double temperature) const;
    /// Of D, from the jackknife samples, with the squares of shared_error where they are known.
    const Matrix& covariance() const { return covariance_; }
    double error(std::size_t i) const;

  private:
    struct Side {
        std::vector<std::size_t> use;     ///< the usable points
        std::vector<double> temperature;  ///< of these
        Matrix map;                       ///< values of the curve to those at temperature_
    };
    Side side_of(const ResampledCurve& curve) const;
    void set_covariance(const ResampledCurve& small, const ResampledCurve& large);

    Side small_, large_;
    std::vector<double> temperature_;
    Matrix covariance_;
};

}  // namespace psflip
