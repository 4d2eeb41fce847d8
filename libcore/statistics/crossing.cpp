#include "statistics/crossing.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace psflip {

/// The points at which the curves are compared.
struct CrossingFit::Points {
    std::vector<double> temperature, difference, error;
    Matrix small, large;  ///< curve values -> values at the points
};

namespace {

/// The indices of a curve's usable points.
std::vector<std::size_t> usable(const Curve& curve) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < curve.temperature.size(); ++i)
        if (std::isfinite(curve.value[i]) && std::isfinite(curve.error[i]) && curve.error[i] > 0.0)
            indices.push_back(i);
    return indices;
}

std::vector<double> pick(const std::vector<double>& values, const std::vector<std::size_t>& indices) {
    std::vector<double> picked;
    for (std::size_t i : indices) picked.push_back(values[i]);
    return picked;
}

/// The spline through the usable points as a map from all values of the curve.
Matrix map_to(const Curve& curve, const std::vector<std::size_t>& indices,
              const std::vector<double>& points) {
    const Matrix spline = spline_matrix(pick(curve.temperature, indices), points);
    Matrix map{points.size(), curve.temperature.size(),
               std::vector<double>(points.size() * curve.temperature.size(), 0.0)};
    for (std::size_t p = 0; p < points.size(); ++p)
        for (std::size_t k = 0; k < indices.size(); ++k) map.at(p, indices[k]) = spline.at(p, k);
    return map;
}

/// Zero entries are skipped, so that a NaN of a point that is left out does no harm.
void apply(const Matrix& map, std::span<const double> values, double factor, std::vector<double>& result) {
    for (std::size_t i = 0; i < map.rows; ++i)
        for (std::size_t j = 0; j < map.columns; ++j)
            if (map.at(i, j) != 0.0) result[i] += factor * map.at(i, j) * values[j];
}

double linear_interpolation(const std::vector<double>& x, const std::vector<double>& y, double point) {
    const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, point);
    const std::size_t i = static_cast<std::size_t>(above - x.begin()) - 1;
    const double b = (point - x[i]) / (x[i + 1] - x[i]);
    return (1.0 - b) * y[i] + b * y[i + 1];
}

std::vector<double> common_temperatures(const std::vector<double>& small, const std::vector<double>& large) {
    const double lowest = std::max(small.front(), large.front());
    const double highest = std::min(small.back(), large.back());
    const auto inside = [&](const std::vector<double>& temperatures) {
        std::vector<double> result;
        for (double t : temperatures)
            if (t >= lowest && t <= highest) result.push_back(t);
        return result;
    };
    const std::vector<double> of_small = inside(small), of_large = inside(large);
    return of_small.size() > of_large.size() ? of_small : of_large;
}

/// Number of points on the ordered side, 0 if there is no sign change.
int ordered_points(const std::vector<double>& difference, const std::vector<double>& error) {
    double sum = 0.0, best = 0.0;
    int points = 0;
    for (std::size_t i = 0; i < difference.size(); ++i) {
        sum += std::clamp(difference[i] / error[i], -5.0, 5.0);
        if (sum > best) {
            best = sum;
            points = static_cast<int>(i) + 1;
        }
    }
    return best >= 1.0 && best - sum >= 1.0 ? points : 0;
}

/// The root of the polynomial with negative slope nearest to 0 in [lowest, highest]; NaN if there is none.
double falling_root(std::span<const double> c, double lowest, double highest) {
    constexpr int steps = 400;
    double best = nan_value;
    for (int i = 0; i < steps; ++i) {
        double a = lowest + (highest - lowest) * i / steps, b = lowest + (highest - lowest) * (i + 1) / steps;
        if (!(polynomial(c, a) > 0.0 && polynomial(c, b) <= 0.0)) continue;
        for (int k = 0; k < 60; ++k) {
            const double middle = 0.5 * (a + b);
            (polynomial(c, middle) > 0.0 ? a : b) = middle;
        }
        if (std::isnan(best) || std::abs(b) < std::abs(best)) best = b;
    }
    return best;
}

}  // namespace

CrossingFit::CrossingFit(const Curve& small, const Curve& large, double half_width)
    : crossing_{nan_value, nan_value} {
    const auto use_small = usable(small), use_large = usable(large);
    if (use_small.size() < 2 || use_large.size() < 2) return;
    const auto t_small = pick(small.temperature, use_small), t_large = pick(large.temperature, use_large);
    const auto e_small = pick(small.error, use_small), e_large = pick(large.error, use_large);
    Points points;
    points.temperature = common_temperatures(t_small, t_large);
    if (points.temperature.size() < 2) return;
    points.small = map_to(small, use_small, points.temperature);
    points.large = map_to(large, use_large, points.temperature);
    points.difference.assign(points.temperature.size(), 0.0);
    apply(points.small, small.value, -1.0, points.difference);
    apply(points.large, large.value, 1.0, points.difference);
    for (double t : points.temperature)
        points.error.push_back(
            std::hypot(linear_interpolation(t_small, e_small, t), linear_interpolation(t_large, e_large, t)));
    const int below = ordered_points(points.difference, points.error);
    if (below == 0) return;
    for (int pass = 0; pass < 2; ++pass) {
        const double centre = pass == 0 ? 0.5 * (points.temperature[below - 1] + points.temperature[below])
                                        : crossing_.temperature;
        fit(points, centre, half_width, below);
        std::vector<double> difference(from_small_.rows, 0.0);
        apply(from_small_, small.value, -1.0, difference);
        apply(from_large_, large.value, 1.0, difference);
        const double root = falling_root(difference, lowest_, highest_);
        if (std::isnan(root)) return;
        crossing_.temperature = centre_ * (1.0 + root);
    }
    found_ = true;
    crossing_ = evaluate(small.value, large.value);
}

void CrossingFit::fit(const Points& points, double centre, double half_width, int below) {
    const int n = static_cast<int>(points.temperature.size());
    int first = n, last = -1;
    for (int i = 0; i < n; ++i)
        if (std::abs(points.temperature[i] - centre) <= half_width * centre) {
            first = std::min(first, i);
            last = i;
        }
    first = std::max(0, std::min(first, below - 2));
    last = std::min(n - 1, std::max(last, below + 1));
    const int size = last - first + 1;
    centre_ = centre;
    std::vector<double> x, weights;
    Matrix small{static_cast<std::size_t>(size), points.small.columns, {}};
    Matrix large{static_cast<std::size_t>(size), points.large.columns, {}};
    for (int i = first; i <= last; ++i) {
        x.push_back(points.temperature[i] / centre - 1.0);
        weights.push_back(1.0 / (points.error[i] * points.error[i]));
        for (std::size_t j = 0; j < small.columns; ++j) small.data.push_back(points.small.at(i, j));
        for (std::size_t j = 0; j < large.columns; ++j) large.data.push_back(points.large.at(i, j));
    }
    lowest_ = x.front();
    highest_ = x.back();
    const Matrix coefficients = polynomial_fit_matrix(x, weights, size >= 6 ? 3 : size >= 4 ? 2 : 1);
    from_small_ = multiply(coefficients, small);
    from_large_ = multiply(coefficients, large);
}

Crossing CrossingFit::evaluate(std::span<const double> small, std::span<const double> large) const {
    if (!found_) return {nan_value, nan_value};
    std::vector<double> difference(from_small_.rows, 0.0), mean(from_small_.rows, 0.0);
    apply(from_small_, small, -1.0, difference);
    apply(from_large_, large, 1.0, difference);
    apply(from_small_, small, 0.5, mean);
    apply(from_large_, large, 0.5, mean);
    double x = crossing_.temperature / centre_ - 1.0;
    const double margin = 0.5 * (highest_ - lowest_);
    for (int i = 0; i < 50; ++i) {
        const double step = polynomial(difference, x) / polynomial_slope(difference, x);
        x -= step;
        if (!(x >= lowest_ - margin && x <= highest_ + margin)) return {nan_value, nan_value};
        if (std::abs(step) < 1e-14) break;
    }
    return {centre_ * (1.0 + x), polynomial(mean, x)};
}

}  // namespace psflip
