#include "statistics/crossing/curve_difference.hpp"

#include <algorithm>
#include <cmath>

namespace psflip {

bool is_usable(const ResampledCurve& curve, std::size_t t) {
    if (!std::isfinite(curve.value[t])) return false;
    bool varies = false;
    for (const std::vector<double>& sample : curve.left_out) {
        if (!std::isfinite(sample[t])) return false;
        varies = varies || sample[t] != curve.value[t];
    }
    return varies;
}

namespace {

/// Zero entries are skipped, so that a NaN of a point that is left out does no harm.
void apply(const Matrix& map, std::span<const double> values, double factor, std::vector<double>& result) {
    for (Eigen::Index i = 0; i < map.rows(); ++i)
        for (Eigen::Index j = 0; j < map.cols(); ++j)
            if (map(i, j) != 0.0) result[i] += factor * map(i, j) * values[j];
}

std::vector<double> inside(const std::vector<double>& temperatures, double lowest, double highest) {
    std::vector<double> result;
    for (double t : temperatures)
        if (t >= lowest && t <= highest) result.push_back(t);
    return result;
}

double at_point(const std::vector<double>& temperature, const std::vector<std::size_t>& use,
                std::span<const double> values, double point) {
    const Matrix spline = spline_matrix(temperature, std::span(&point, 1));
    double value = 0.0;
    for (std::size_t k = 0; k < use.size(); ++k)
        value += spline(0, static_cast<Eigen::Index>(k)) * values[use[k]];
    return value;
}

/// The squares of shared_error are taken for independent at different temperatures; those not known are left
/// out.
void add_shared(const Matrix& map, const std::vector<double>& error, Matrix& covariance) {
    for (Eigen::Index k = 0; k < map.cols(); ++k)
        if (error[k] > 0.0) covariance += error[k] * error[k] * map.col(k) * map.col(k).transpose();
}

}  // namespace

CurveDifference::Side CurveDifference::side_of(const ResampledCurve& curve) const {
    Side side;
    for (std::size_t t = 0; t < curve.temperature.size(); ++t)
        if (is_usable(curve, t)) {
            side.use.push_back(t);
            side.temperature.push_back(curve.temperature[t]);
        }
    return side;
}

CurveDifference::CurveDifference(const ResampledCurve& small, const ResampledCurve& large)
    : small_(side_of(small)), large_(side_of(large)) {
    if (small_.use.size() < 2 || large_.use.size() < 2) return;
    const double lowest = std::max(small_.temperature.front(), large_.temperature.front());
    const double highest = std::min(small_.temperature.back(), large_.temperature.back());
    const auto of_small = inside(small_.temperature, lowest, highest);
    const auto of_large = inside(large_.temperature, lowest, highest);
    temperature_ = of_small.size() > of_large.size() ? of_small : of_large;
    for (auto [side, columns] : {std::pair{&small_, small.value.size()}, {&large_, large.value.size()}}) {
        const Matrix spline = spline_matrix(side->temperature, temperature_);
        side->map = Matrix::Zero(spline.rows(), static_cast<Eigen::Index>(columns));
        for (Eigen::Index k = 0; k < spline.cols(); ++k)
            side->map.col(static_cast<Eigen::Index>(side->use[k])) = spline.col(k);
    }
    set_covariance(small, large);
}

std::vector<double> CurveDifference::difference(std::span<const double> small,
                                                std::span<const double> large) const {
    std::vector<double> result(temperature_.size(), 0.0);
    apply(small_.map, small, -1.0, result);
    apply(large_.map, large, 1.0, result);
    return result;
}

double CurveDifference::mean(std::span<const double> small, std::span<const double> large,
                             double temperature) const {
    return 0.5 * (at_point(small_.temperature, small_.use, small, temperature) +
                  at_point(large_.temperature, large_.use, large, temperature));
}

double CurveDifference::error(std::size_t i) const {
    return std::sqrt(covariance_.diagonal()[static_cast<Eigen::Index>(i)]);
}

void CurveDifference::set_covariance(const ResampledCurve& small, const ResampledCurve& large) {
    const auto n = static_cast<Eigen::Index>(temperature_.size()),
               groups = static_cast<Eigen::Index>(small.left_out.size());
    Matrix samples(n, groups);
    for (Eigen::Index g = 0; g < groups; ++g) {
        const std::vector<double> one = difference(small.left_out[g], large.left_out[g]);
        samples.col(g) = Eigen::Map<const Eigen::VectorXd>(one.data(), n);
    }
    samples.colwise() -= samples.rowwise().mean().eval();
    covariance_ =
        static_cast<double>(groups - 1) / static_cast<double>(groups) * samples * samples.transpose();
    add_shared(small_.map, small.shared_error, covariance_);
    add_shared(large_.map, large.shared_error, covariance_);
}

}  // namespace psflip
