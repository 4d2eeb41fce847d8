#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "statistics/jackknife.hpp"

using namespace psflip;

TEST_CASE("the jackknife of a mean is the standard error") {
    const std::vector<double> x = {1.0, 2.0, 4.0, 9.0};
    const auto identity = [](std::span<const double> m, std::span<double> r) { r[0] = m[0]; };
    const auto estimate = jackknife(x, 4, 1, 1, identity);
    CHECK(estimate[0].value == doctest::Approx(4.0));
    // squares of deviations: 9 + 4 + 0 + 25 = 38; 38 / (4 * 3)
    CHECK(estimate[0].error == doctest::Approx(std::sqrt(38.0 / 12.0)));
    CHECK(mean_and_error(x.data(), 4).error == doctest::Approx(std::sqrt(38.0 / 12.0)));
    CHECK(mean_and_error(x.data(), 2, 2).value == doctest::Approx(2.5));
}

TEST_CASE("a nonlinear function of two columns, by hand") {
    const std::vector<double> x = {1.0, 2.0, 3.0, 5.0, 2.0, 2.0};  // (3, 2)
    const auto ratio = [](std::span<const double> m, std::span<double> r) { r[0] = m[0] / m[1]; };
    const auto estimate = jackknife(x, 3, 2, 1, ratio);
    const double a = 5.0 / 7.0, b = 3.0 / 4.0, c = 4.0 / 7.0, mean = (a + b + c) / 3.0;
    CHECK(estimate[0].value == doctest::Approx(6.0 / 9.0));
    const double squares = (a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean);
    CHECK(estimate[0].error == doctest::Approx(std::sqrt(2.0 / 3.0 * squares)));
}

TEST_CASE("weights: sums over different numbers of measurements") {
    const std::vector<double> sums = {2.0, 9.0}, weights = {1.0, 3.0};
    const auto identity = [](std::span<const double> m, std::span<double> r) { r[0] = m[0]; };
    const auto estimate = jackknife(sums, 2, 1, 1, identity, weights);
    CHECK(estimate[0].value == doctest::Approx(11.0 / 4.0));
    CHECK(estimate[0].error == doctest::Approx(0.5));  // leave-one-out 3 and 2
}

TEST_CASE("one sample has no error, and NaN spreads") {
    const auto root = [](std::span<const double> m, std::span<double> r) { r[0] = std::sqrt(m[0] - 1.0); };
    CHECK(std::isnan(jackknife(std::vector<double>{2.0}, 1, 1, 1, root)[0].error));
    CHECK(jackknife(std::vector<double>{2.0}, 1, 1, 1, root)[0].value == 1.0);
    const auto some_nan = jackknife(std::vector<double>{3.0, 0.5, 0.5}, 3, 1, 1, root);
    CHECK_FALSE(std::isnan(some_nan[0].value));
    CHECK(std::isnan(some_nan[0].error));
}

TEST_CASE("the error bars cover the truth as often as they should") {
    std::mt19937_64 generator(11);
    std::exponential_distribution<double> exponential;
    const auto ratio = [](std::span<const double> m, std::span<double> r) { r[0] = m[1] / (m[0] * m[0]); };
    int inside = 0;
    const int repeats = 1000, n = 800;
    for (int i = 0; i < repeats; ++i) {
        std::vector<double> samples;
        for (int j = 0; j < n; ++j) {
            const double x = 1.0 + exponential(generator);
            samples.insert(samples.end(), {x, x * x});
        }
        const auto estimate = jackknife(samples, n, 2, 1, ratio);
        if (std::abs(estimate[0].value - 5.0 / 4.0) < estimate[0].error) ++inside;
    }
    CHECK(inside > 0.63 * repeats);  // 68% expected, spread 1.5%
    CHECK(inside < 0.73 * repeats);
}
