#include "statistics/crossing/curve_difference.hpp"

#include <algorithm>
#include <cmath>

namespace psflip {

namespace {

bool usable(const ResampledCurve& curve, std::size_t t) {
    if (!std::isfinite(curve.value[t])) return false;
    bool varies = false;
    for (const std::vector<double>& sample : curve.left_out) {
        if (!std::isfinite(sample[t])) return false;
        varies = varies || sample[t] != curve.value[t];
    }
    return varies;
}

/// Zero entries are skipped, so that a NaN of a point that is left out does no harm.
void apply(const Matrix& map, std::span<const double> values, double factor, std::vector<double>& result) {
    for (std::size_t i = 0; i < map.rows; ++i)
        for (std::size_t j = 0; j < map.columns; ++j)
            if (map.at(i, j) != 0.0) result[i] += factor * map.at(i, j) * values[j];
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
    for (std::size_t k = 0; k < use.size(); ++k) value += spline.at(0, k) * values[use[k]];
    return value;
}

/// The squares of shared_error are taken for independent at different temperatures; those not known are left
/// out.
void add_shared(const Matrix& map, const std::vector<double>& error, Matrix& covariance) {
    for (std::size_t k = 0; k < map.columns; ++k) {
        if (!(error[k] > 0.0)) continue;
        for (std::size_t i = 0; i < map.rows; ++i)
            for (std::size_t j = 0; j < map.rows; ++j)
                covariance.at(i, j) += map.at(i, k) * map.at(j, k) * error[k] * error[k];
    }
}

}  // namespace

CurveDifference::Side CurveDifference::side_of(const ResampledCurve& curve) const {
    Side side;
    for (std::size_t t = 0; t < curve.temperature.size(); ++t)
        if (usable(curve, t)) {
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
        side->map = {temperature_.size(), columns, std::vector<double>(temperature_.size() * columns, 0.0)};
        for (std::size_t p = 0; p < spline.rows; ++p)
            for (std::size_t k = 0; k < spline.columns; ++k) side->map.at(p, side->use[k]) = spline.at(p, k);
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
    return std::sqrt(covariance_.at(i, i));
}

void CurveDifference::set_covariance(const ResampledCurve& small, const ResampledCurve& large) {
    const std::size_t n = temperature_.size(), groups = small.left_out.size();
    std::vector<std::vector<double>> samples;
    std::vector<double> mean(n, 0.0);
    for (std::size_t g = 0; g < groups; ++g) {
        samples.push_back(difference(small.left_out[g], large.left_out[g]));
        for (std::size_t i = 0; i < n; ++i) mean[i] += samples[g][i] / static_cast<double>(groups);
    }
    covariance_ = {n, n, std::vector<double>(n * n, 0.0)};
    const double factor = static_cast<double>(groups - 1) / static_cast<double>(groups);
    for (const std::vector<double>& sample : samples)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                covariance_.at(i, j) += factor * (sample[i] - mean[i]) * (sample[j] - mean[j]);
    add_shared(small_.map, small.shared_error, covariance_);
    add_shared(large_.map, large.shared_error, covariance_);
}

}  // namespace psflip
