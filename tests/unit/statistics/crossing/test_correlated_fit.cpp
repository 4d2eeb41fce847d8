#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "statistics/crossing/correlated_fit.hpp"

using namespace psflip;

namespace {

/// Covariance 0.01 (0.5 + exponential decay of 0.5 along the points).
Matrix covariance_of(Eigen::Index n) {
    return Matrix::NullaryExpr(n, n, [](Eigen::Index i, Eigen::Index j) {
        return 0.01 * (0.5 + 0.5 * std::exp(-0.3 * std::abs(double(i) - double(j))));
    });
}

}  // namespace

TEST_CASE(
    "values are independent of variance 1 in the whitened base, and there is none of a singular covariance") {
    const Matrix c = covariance_of(5), W = whitening(c);
    CHECK((W * c * W.transpose()).isApprox(Matrix::Identity(5, 5), 1e-12));
    const auto singular = [](double a, double b, double d) {
        return whitening(Matrix{{a, b}, {b, d}}).rows() == 0;
    };
    CHECK(singular(1.0, 2.0, 4.0));
    CHECK(singular(1.0, 1.0, 1.0 + 1e-12));
    CHECK(singular(1.0, 0.0, 0.0));
    CHECK(singular(NAN, 0.0, 1.0));
    CHECK_FALSE(singular(1.0, 1.0, 1.0 + 1e-8));
}

TEST_CASE("a constant and a line through correlated values, against an independent computation") {
    // numpy: W = inv(C); c = inv(X.T W X) X.T W y; r = y - X c; r W r
    const std::vector<double> x = {-0.2, -0.1, 0.0, 0.15, 0.3}, y = {1.0, 1.3, 1.1, 0.9, 1.6};
    const CorrelatedFit constant(x, covariance_of(5), 0), line(x, covariance_of(5), 1);
    CHECK(constant.coefficients(y)[0] == doctest::Approx(1.2440120506888028));
    CHECK(constant.chi2(y, constant.coefficients(y)) == doctest::Approx(242.3693640063648));
    CHECK(line.coefficients(y)[0] == doctest::Approx(1.1951859611178544));
    CHECK(line.coefficients(y)[1] == doctest::Approx(1.200582252387635));
    CHECK(line.chi2(y, line.coefficients(y)) == doctest::Approx(189.4404902411002));
    CHECK(line.dof() == 3);
}

TEST_CASE("as many coefficients as points: through all of them, whatever the covariance") {
    const std::vector<double> x = {-0.02, -0.005, 0.01, 0.03}, y = {1.0, -2.0, 0.5, 4.0};
    const CorrelatedFit fit(x, Matrix::Ones(4, 4), 3);
    REQUIRE(fit.possible());
    const auto c = fit.coefficients(y);
    for (std::size_t i = 0; i < 4; ++i) CHECK(polynomial(c, x[i]) == doctest::Approx(y[i]));
    CHECK_FALSE(CorrelatedFit(x, Matrix::Ones(4, 4), 2).possible());
    CHECK_THROWS_AS(CorrelatedFit(x, covariance_of(4), 4), std::invalid_argument);
}

TEST_CASE("probabilities, against scipy.stats.f.sf, and where there are none") {
    CHECK(hotelling_probability(7.0, 3, 20) == doctest::Approx(0.1397680663584629));
    CHECK(hotelling_probability(120.0, 5, 200) == doctest::Approx(1.8228669986795494e-18).epsilon(1e-6));
    CHECK(hotelling_probability(0.0, 2, 50) == doctest::Approx(1.0));
    CHECK(std::isnan(hotelling_probability(1.0, 0, 50)));
    CHECK(std::isnan(hotelling_probability(1.0, 50, 50)));
}

TEST_CASE("p-values are uniform where the covariance comes from 30 samples") {
    std::mt19937_64 generator(17);
    std::normal_distribution<double> normal;
    constexpr int n = 30, points = 8, repeats = 2000;
    const std::vector<double> x = {-0.35, -0.25, -0.15, -0.05, 0.05, 0.15, 0.25, 0.35};
    int below[3] = {};  // 0.1, 0.5, 0.9
    for (int repeat = 0; repeat < repeats; ++repeat) {
        std::vector<std::vector<double>> samples(n, std::vector<double>(points));
        std::vector<double> mean(points, 0.0);
        for (auto& sample : samples) {
            const double level = 3.0 * normal(generator);
            double walk = 0.0;
            for (int i = 0; i < points; ++i) {
                sample[i] = level + (walk += normal(generator)) + 2.0 - x[i] * x[i];
                mean[i] += sample[i] / n;
            }
        }
        Matrix covariance = Matrix::Zero(points, points);
        for (const auto& sample : samples)
            for (int i = 0; i < points; ++i)
                for (int j = 0; j < points; ++j)
                    covariance(i, j) += (sample[i] - mean[i]) * (sample[j] - mean[j]) / (n * (n - 1.0));
        const CorrelatedFit fit(x, covariance, 2);
        const double p = hotelling_probability(fit.chi2(mean, fit.coefficients(mean)), fit.dof(), n);
        for (int k = 0; k < 3; ++k) below[k] += p < 0.1 + 0.4 * k;
    }
    CHECK(below[0] == doctest::Approx(0.1 * repeats).epsilon(0.2));  // 3 spreads
    CHECK(below[1] == doctest::Approx(0.5 * repeats).epsilon(0.07));
    CHECK(below[2] == doctest::Approx(0.9 * repeats).epsilon(0.02));
}
