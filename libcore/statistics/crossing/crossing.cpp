#include "statistics/crossing/crossing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "statistics/crossing/crossing_fits.hpp"

namespace psflip {

namespace {

/// One crossing: temperature and value of two curves.
struct Point {
    double temperature, value;
};

class Pair {
  public:
    Pair(const ResampledCurve& small, const ResampledCurve& large, const CurveDifference& curves,
         const CrossingFits& fits)
        : small_(small), large_(large), curves_(curves), fits_(fits) {}

    Point point(std::span<const double> small, std::span<const double> large) const {
        const double temperature = fits_.root(curves_.difference(small, large)).temperature;
        if (std::isnan(temperature)) return {nan_value, nan_value};
        return {temperature, curves_.mean(small, large, temperature)};
    }
    Point jackknife_errors(int& missing) const;
    Point shared_errors() const;

  private:
    const ResampledCurve &small_, &large_;
    const CurveDifference& curves_;
    const CrossingFits& fits_;
};

/// NaN where a sample has no crossing; their number to `missing`.
Point Pair::jackknife_errors(int& missing) const {
    const std::size_t groups = small_.left_out.size();
    std::vector<Point> points;
    Point mean{0.0, 0.0}, squares{0.0, 0.0};
    for (std::size_t g = 0; g < groups; ++g) {
        points.push_back(point(small_.left_out[g], large_.left_out[g]));
        missing += std::isnan(points.back().temperature);
        mean.temperature += points.back().temperature / static_cast<double>(groups);
        mean.value += points.back().value / static_cast<double>(groups);
    }
    for (const Point& p : points) {
        squares.temperature += std::pow(p.temperature - mean.temperature, 2);
        squares.value += std::pow(p.value - mean.value, 2);
    }
    const double factor = static_cast<double>(groups - 1) / static_cast<double>(groups);
    return {std::sqrt(factor * squares.temperature), std::sqrt(factor * squares.value)};
}

/// shared_error of both curves propagated by differences of a tenth of it.
Point Pair::shared_errors() const {
    constexpr double part = 0.1;
    const Point centre = point(small_.value, large_.value);
    Point squares{0.0, 0.0};
    for (const ResampledCurve* moved : {&small_, &large_})
        for (std::size_t t = 0; t < moved->value.size(); ++t) {
            if (moved->shared_error[t] == 0.0 || std::isnan(moved->value[t])) continue;
            std::vector<double> values = moved->value;
            values[t] += part * moved->shared_error[t];
            const Point p = moved == &small_ ? point(values, large_.value) : point(small_.value, values);
            squares.temperature += std::pow((p.temperature - centre.temperature) / part, 2);
            squares.value += std::pow((p.value - centre.value) / part, 2);
        }
    return {std::sqrt(squares.temperature), std::sqrt(squares.value)};
}

CrossingEstimate none(int L1, int L2, const std::string& note) {
    const double nan = nan_value;
    return {L1, L2, {nan, nan}, {nan, nan}, nan, nan, nan, 0, 0, nan, nan, note};
}

/// The sizes of the differences in sigma.
std::vector<double> sigmas(const CurveDifference& curves, const std::vector<double>& difference) {
    std::vector<double> z;
    for (std::size_t i = 0; i < difference.size(); ++i) z.push_back(difference[i] / curves.error(i));
    return z;
}

/// Returns whether a curve lies more than 3 errors from its value at infinite temperature at its usable
/// temperature nearest to T.
bool is_ordered(const ResampledCurve& curve, double T) {
    constexpr double least_sigma = 3.0;
    std::size_t nearest = curve.temperature.size();
    for (std::size_t t = 0; t < curve.temperature.size(); ++t)
        if (is_usable(curve, t) &&
            (nearest == curve.temperature.size() ||
             std::abs(curve.temperature[t] - T) < std::abs(curve.temperature[nearest] - T)))
            nearest = t;
    const auto groups = static_cast<double>(curve.left_out.size());
    double mean = 0.0, squares = 0.0;
    for (const std::vector<double>& sample : curve.left_out) mean += sample[nearest] / groups;
    for (const std::vector<double>& sample : curve.left_out) squares += std::pow(sample[nearest] - mean, 2);
    const double shared = curve.shared_error[nearest];
    const double error =
        std::hypot(std::sqrt((groups - 1.0) / groups * squares), shared > 0.0 ? shared : 0.0);
    return std::abs(curve.value[nearest] - curve.at_infinity) > least_sigma * error;
}

std::string note_of(const Window& window, int missing, int samples, bool shared_known) {
    if (missing > 0) return fmt::format("{} of {} jackknife samples have no crossing", missing, samples);
    if (!shared_known) return "the noise that realizations share is not known: one block per run";
    if (window.fit.dof() > 0) return "";
    return fmt::format("interpolation through {} temperatures, not tested: no fit of more is better",
                       window.points.size());
}

/// The estimate where there is a root.
CrossingEstimate found(const ResampledCurve& small, const ResampledCurve& large,
                       const CurveDifference& curves, const CrossingFits& fits,
                       const std::vector<double>& difference, const Root& root) {
    const std::vector<double>& temperature = curves.temperature();
    const int samples = static_cast<int>(small.left_out.size());
    const Pair pair(small, large, curves, fits);
    const Window& window = fits.window(root.leading);
    const double chi2 = fits.result(window, difference).chi2, t = root.temperature;
    const int dof = window.fit.dof();
    int missing = 0;
    const Point jackknife = pair.jackknife_errors(missing), shared = pair.shared_errors();
    const double off = root.interpolated * fits.interpolation_error(difference);
    const auto value_at = [&](double x) {
        return curves.mean(small.value, large.value, std::clamp(x, temperature.front(), temperature.back()));
    };
    const double value_off = 0.5 * std::abs(value_at(t + off) - value_at(t - off));
    return {small.L,
            large.L,
            {t, std::hypot(jackknife.temperature, shared.temperature, off)},
            {value_at(t), std::hypot(jackknife.value, shared.value, value_off)},
            off,
            chi2,
            hotelling_probability(chi2, dof, samples),
            dof,
            window.fit.degree(),
            temperature[window.points.front()],
            temperature[window.points.back()],
            note_of(window, missing, samples, !std::isnan(shared.temperature))};
}

}  // namespace

CrossingEstimate crossing(const ResampledCurve& small, const ResampledCurve& large) {
    const CurveDifference curves(small, large);
    if (curves.temperature().size() < 2)
        return none(small.L, large.L, "fewer than two common temperatures with values");
    const std::vector<double> difference = curves.difference(small.value, large.value);
    const int below = last_below(sigmas(curves, difference));
    if (below < 0)
        return none(small.L, large.L,
                    "the difference of the curves does not change its sign by 2 sigma on both sides");
    for (const ResampledCurve* curve : {&small, &large})
        if (!is_ordered(*curve, curves.temperature()[below]))
            return none(small.L, large.L,
                        fmt::format("L = {} is within 3 sigma of its value at infinite temperature where the "
                                    "curves meet: noise of the paramagnet",
                                    curve->L));
    const CrossingFits fits(curves, below, static_cast<int>(small.left_out.size()));
    const Root root = fits.root(difference);
    if (std::isnan(root.temperature))
        return none(small.L, large.L,
                    fmt::format("no fit has a root near the sign change between T = {} and {}",
                                curves.temperature()[below], curves.temperature()[below + 1]));
    return found(small, large, curves, fits, difference, root);
}

std::vector<CrossingEstimate> crossings(const std::vector<DisorderSample>& samples, Average average) {
    const std::vector<ResampledCurve> curves = resampled_curves(samples, average);
    std::vector<CrossingEstimate> result;
    for (std::size_t i = 0; i < curves.size(); ++i)
        for (std::size_t j = i + 1; j < curves.size(); ++j) result.push_back(crossing(curves[i], curves[j]));
    return result;
}

std::vector<CrossingCurve> crossing_curves(const std::vector<DisorderSample>& samples) {
    std::vector<CrossingCurve> curves;
    for (const Average average : crossing_averages(samples.front().measured))
        curves.push_back({average, crossings(samples, average)});
    return curves;
}

}  // namespace psflip
