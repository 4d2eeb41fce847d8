#include "statistics/crossing/crossing_fits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numbers.hpp"

namespace psflip {

namespace {

constexpr double half_width = 0.2;  ///< of the widest window, in units of the temperature
constexpr int full_degree = 3;
constexpr double least_weight = 1e-12;

/// The root of the polynomial with negative slope nearest to 0 in [lowest, highest]; NaN if there is none.
double falling_root(std::span<const double> c, double lowest, double highest) {
    constexpr int steps = 100;
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

int last_below(std::vector<double> z) {
    constexpr double least_sigma = 2.0, least_score = 1.0, largest = 5.0;
    for (double& sigma : z) sigma = std::clamp(sigma, -largest, largest);
    const int n = static_cast<int>(z.size());
    std::vector<double> below(n, 0.0), above(n, 0.0);  // largest sums that end or begin here
    for (int i = 0; i < n; ++i) below[i] = z[i] + (i > 0 ? std::max(below[i - 1], 0.0) : 0.0);
    for (int i = n; i-- > 0;) above[i] = -z[i] + (i + 1 < n ? std::max(above[i + 1], 0.0) : 0.0);
    int best = -1;
    double best_score = least_score;
    for (int i = 0; i + 1 < n; ++i) {
        if (!(z[i] > 0.0 && z[i + 1] <= 0.0)) continue;
        if (*std::max_element(z.begin(), z.begin() + i + 1) < least_sigma) continue;
        if (*std::min_element(z.begin() + i + 1, z.end()) > -least_sigma) continue;
        const double score = std::min(below[i], above[i + 1]);
        if (score < best_score || (best >= 0 && score == best_score)) continue;
        best = i;
        best_score = score;
    }
    return best;
}

CrossingFits::CrossingFits(const CurveDifference& curves, int last_below, int samples)
    : curves_(curves), below_(static_cast<std::size_t>(last_below)), samples_(samples) {
    const std::vector<double>& temperature = curves.temperature();
    const std::size_t n = temperature.size();
    middle_ = 0.5 * (temperature[below_] + temperature[below_ + 1]);
    lowest_ = x_of(below_ > 0 ? below_ - 1 : 0);
    highest_ = x_of(std::min(below_ + 2, n - 1));
    std::vector<std::size_t> nearest(n);
    std::iota(nearest.begin(), nearest.end(), std::size_t{0});
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(x_of(a)) < std::abs(x_of(b)); });
    const std::size_t most = full_degree + 1 + static_cast<std::size_t>(samples / 10);
    const std::size_t first = std::min<std::size_t>(n, full_degree + 1);
    for (std::size_t size = first; size <= std::min(n, most); ++size) {
        if (size > first && std::abs(x_of(nearest[size - 1])) > half_width) break;
        Window window = window_of({nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(size)});
        if (window.fit.possible()) windows_.push_back(std::move(window));
    }
}

Window CrossingFits::window_of(std::vector<std::size_t> points) const {
    std::sort(points.begin(), points.end());
    std::vector<double> x;
    for (std::size_t i : points) x.push_back(x_of(i));
    const Matrix covariance = curves_.covariance()(points, points);
    return {points, CorrelatedFit(x, covariance, std::min(full_degree, static_cast<int>(x.size()) - 1))};
}

FitResult CrossingFits::result(const Window& window, const std::vector<double>& difference) const {
    std::vector<double> y;
    for (std::size_t i : window.points) y.push_back(difference[i]);
    const std::vector<double> c = window.fit.coefficients(y);
    const int dof = window.fit.dof();
    const double chi2 = dof > 0 ? window.fit.chi2(y, c) : 0.0;
    const double scaled = chi2 * (samples_ - dof) / (samples_ - 1.0);
    return {chi2, std::exp(dof - 0.5 * scaled), falling_root(c, lowest_, highest_)};
}

Root CrossingFits::root(const std::vector<double>& difference) const {
    Root root{nan_value};
    double sum = 0.0, weights = 0.0, largest = 0.0, interpolation = 0.0;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
        const FitResult found = result(windows_[i], difference);
        if (std::isnan(found.root) || !(found.weight > least_weight)) continue;
        sum += found.weight * found.root;
        weights += found.weight;
        if (windows_[i].fit.dof() == 0) interpolation = found.weight;
        if (found.weight <= largest) continue;
        largest = found.weight;
        root.leading = i;
    }
    if (weights == 0.0) return root;
    root.temperature = middle_ * (1.0 + sum / weights);
    root.interpolated = interpolation / weights;
    return root;
}

double CrossingFits::interpolation_error(const std::vector<double>& difference) const {
    const Window& all = windows_.front();
    const double root = result(all, difference).root;
    const double bracket = 0.5 * (x_of(below_ + 1) - x_of(below_));
    if (std::isnan(root)) return middle_ * bracket;
    double largest = all.points.size() > 2 ? 0.0 : bracket;
    for (const int end : {0, 1}) {
        std::vector<std::size_t> points(all.points.begin() + end, all.points.end() - 1 + end);
        if (points.size() < 2 || points.front() > below_ || points.back() <= below_) continue;
        const double other = result(window_of(points), difference).root;
        largest = std::max(largest, std::isnan(other) ? bracket : std::abs(other - root));
    }
    return middle_ * largest;
}

}  // namespace psflip
