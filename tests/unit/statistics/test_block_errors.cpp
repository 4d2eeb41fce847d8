#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "statistics/block_errors.hpp"

using namespace psflip;

TEST_CASE("block mean and variance by hand") {
    const BlockMean equal = block_mean(std::vector<double>{2, 2, 2}, std::vector<double>{2.0, 4.0, 6.0});
    CHECK(equal.mean == doctest::Approx(2.0));
    CHECK(equal.variance == doctest::Approx(2.0 / (3.0 * 2.0)));
    CHECK(equal.dof == 2);
    const BlockMean unequal =
        block_mean(std::vector<double>{1, 0, 3}, std::vector<double>{2.0, 0.0, 12.0});  // means 2 and 4
    CHECK(unequal.mean == doctest::Approx(3.5));
    CHECK(unequal.variance == doctest::Approx((1 * 2.25 + 3 * 0.25) / 4.0));
    CHECK(unequal.dof == 1);
    CHECK(std::isnan(block_mean(std::vector<double>{4}, std::vector<double>{8.0}).variance));
    CHECK(block_mean(std::vector<double>{4}, std::vector<double>{8.0}).mean == 2.0);
}

TEST_CASE("a frozen series has no autocorrelation time") {
    CHECK(single_variance(-1.75, 1.75 * 1.75, 0.0) == 0.0);
    CHECK(std::isnan(integrated_time(0.0, 0.0, 100.0)));
}

/// Integrated time by blocks, and errors, averaged over many AR(1) series x' = rho x + noise,
/// tau = (1 + rho) / (2 (1 - rho)).
static void check_ar1(double rho, int length, int blocks, double tolerance) {
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal;
    double tau = 0.0, variance = 0.0, squared_mean = 0.0;
    const int repeats = 600;
    for (int i = 0; i < repeats; ++i) {
        std::vector<double> count(blocks, length / blocks), sum(blocks, 0.0);
        double squares = 0.0, x = normal(generator) / std::sqrt(1.0 - rho * rho);
        for (int k = 0; k < length; ++k) {
            x = rho * x + normal(generator);
            sum[k * blocks / length] += x;
            squares += x * x;
        }
        const BlockMean mean = block_mean(count, sum);
        const double single = single_variance(mean.mean, squares / length, mean.variance);
        tau += integrated_time(mean.variance, single, length) / repeats;
        variance += mean.variance / repeats;
        squared_mean += mean.mean * mean.mean / repeats;
    }
    CHECK(tau == doctest::Approx((1.0 + rho) / (2.0 * (1.0 - rho))).epsilon(tolerance));
    CHECK(variance == doctest::Approx(squared_mean).epsilon(tolerance + 0.15));  // spread of the latter 6%
}

TEST_CASE("autocorrelation time of AR(1) series") {
    check_ar1(0.0, 1600, 16, 0.05);
    check_ar1(0.5, 3200, 16, 0.05);  // tau 1.5, block 200
    check_ar1(0.8, 6400, 16, 0.06);  // tau 4.5, block 400
    check_ar1(0.9, 3200, 16, 0.12);  // tau 9.5, block 200: some percent low, as documented
}

TEST_CASE("blocks taken together") {
    const std::vector<double> sums = {1, 2, 4, 8, 16, 32, 64};
    CHECK(merge_blocks(sums, 0) == sums);
    CHECK(merge_blocks(sums, 1) == std::vector<double>{3, 12, 112});
    CHECK(merge_blocks(sums, 2) == std::vector<double>{127});
    CHECK(merge_blocks(sums, 3) == std::vector<double>{127});
}

TEST_CASE("blocks long enough for an exponential memory: the variance is less than 10% too small") {
    CHECK(long_blocks(1.0, 0.5));  // independent
    CHECK(long_blocks(1.0, NAN));
    for (const double rho : {0.3, 0.8, 0.97}) {
        const double tau = 0.5 + rho / (1.0 - rho);
        int n = 1;
        while (!long_blocks(n, tau)) ++n;
        double variance = 1.0;  // of the mean of n times n, in units of that of one
        for (int lag = 1; lag < n; ++lag)
            variance += 2.0 * (1.0 - static_cast<double>(lag) / n) * std::pow(rho, lag);
        CHECK(variance / (2.0 * tau) > 0.895);
        CHECK(variance / (2.0 * tau) < 0.91);
    }
}

TEST_CASE(
    "covariance of means of series that remember a third of a block: blocks miss a third, long_covariance "
    "little") {
    constexpr int series = 20000, n = 512, blocks = 8;
    constexpr double memory = 0.95;  // tau = 19.5 measurements, blocks of 64
    std::mt19937_64 numbers(7);
    std::normal_distribution<double> normal;
    const std::vector<double> count(blocks, n / blocks);
    double exact = 0.0, plain = 0.0, corrected = 0.0, square = 0.0;
    for (int s = 0; s < series; ++s) {
        std::vector<double> x(blocks, 0.0), y(blocks, 0.0);
        double common = normal(numbers), mean_x = 0.0, mean_y = 0.0;
        for (int i = 0; i < n; ++i) {
            common = memory * common + std::sqrt(1.0 - memory * memory) * normal(numbers);
            const double a = common + normal(numbers), b = 2.0 * common + normal(numbers);
            x[i * blocks / n] += a;
            y[i * blocks / n] += b;
            mean_x += a / n;
            mean_y += b / n;
        }
        exact += mean_x * mean_y / series;
        plain += block_covariance(count, x, y) / series;
        const double one = long_covariance(count, x, y);
        corrected += one / series;
        square += one * one / series;
    }
    const double error = std::sqrt(square / series) / exact;  // about 1%
    CHECK(error < 0.02);
    CHECK(plain / exact < 0.78);
    CHECK(std::abs(corrected / exact - 1.0) < 0.04 + 3.0 * error);
}

TEST_CASE("long_covariance by hand, of few blocks, and of one without measurements") {
    const std::vector<double> three{4, 4, 4}, x{1, 5, 9}, y{2, 3, 1};
    CHECK(long_covariance(three, x, y) == block_covariance(three, x, y));
    const std::vector<double> four{2, 2, 2, 2}, z{2, 4, 6, 12};  // C_4 = 7/6, C_2 = 9/4
    CHECK(long_covariance(four, z, z) == doctest::Approx(10.0 / 3.0));
    const std::vector<double> gap{2, 2, 0, 2, 2}, of_gap{2, 4, 0, 6, 12};
    CHECK(std::isfinite(long_covariance(gap, of_gap, of_gap)));
}
