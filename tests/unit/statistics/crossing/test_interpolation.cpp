#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "statistics/crossing/interpolation.hpp"

using namespace psflip;

static std::vector<double> times(const Matrix& matrix, const std::vector<double>& y) {
    std::vector<double> result(static_cast<std::size_t>(matrix.rows()));
    Eigen::Map<Eigen::VectorXd>(result.data(), matrix.rows()) =
        matrix * Eigen::Map<const Eigen::VectorXd>(y.data(), matrix.cols());
    return result;
}

TEST_CASE("the spline is exact at knots and for lines, close for smooth functions") {
    const std::vector<double> x = {0.0, 0.3, 0.7, 1.0, 1.6, 2.0};
    const std::vector<double> points = {0.0, 0.1, 0.3, 0.5, 0.9, 1.0, 1.3, 1.9, 2.0};
    const Matrix spline = spline_matrix(x, points);
    std::vector<double> line, knots;
    for (double t : x) line.push_back(3.0 - 2.0 * t);
    const auto values = times(spline, line);
    for (std::size_t i = 0; i < points.size(); ++i)
        CHECK(values[i] == doctest::Approx(3.0 - 2.0 * points[i]));
    const std::vector<double> y = {1.0, -2.0, 0.5, 4.0, 4.0, -1.0};
    const auto at_knots = times(spline_matrix(x, x), y);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(at_knots[i] == doctest::Approx(y[i]));
    CHECK(times(spline_matrix(std::vector<double>{1.0, 3.0}, std::vector<double>{2.5}), {0.0, 4.0})[0] ==
          doctest::Approx(3.0));
}

TEST_CASE("the natural spline of five knots, against an independent computation") {
    // scipy.interpolate.CubicSpline([0,1,2.5,3,4], [1,3,2,0,1], bc_type='natural')([0.5, 1.7, 2.75, 3.9])
    const auto values =
        times(spline_matrix(std::vector<double>{0, 1, 2.5, 3, 4}, std::vector<double>{0.5, 1.7, 2.75, 3.9}),
              {1.0, 3.0, 2.0, 0.0, 1.0});
    CHECK(values[0] == doctest::Approx(2.0907451923076925));
    CHECK(values[1] == doctest::Approx(3.5387606837606835));
    CHECK(values[2] == doctest::Approx(0.9196213942307692));
    CHECK(values[3] == doctest::Approx(0.7189759615384612));
}

TEST_CASE("polynomials") {
    const std::vector<double> c = {1.0, -2.0, 0.5};
    CHECK(polynomial(c, 2.0) == doctest::Approx(-1.0));
    CHECK(polynomial({}, 2.0) == 0.0);
}
