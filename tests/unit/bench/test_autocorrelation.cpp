#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "bench/autocorrelation.hpp"

using namespace psflip;

TEST_CASE("autocorrelations by Fourier transforms are the sums that define them") {
    std::mt19937 random(3);
    for (const std::size_t n : {5, 64, 100}) {
        std::vector<double> x;
        for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<double>(random() % 1000));
        double mean = 0;
        for (const double value : x) mean += value / static_cast<double>(n);
        const auto found = autocorrelations(x);
        REQUIRE(found.size() == n);
        for (std::size_t t = 0; t < n; ++t) {
            double sum = 0;
            for (std::size_t i = 0; i + t < n; ++i) sum += (x[i] - mean) * (x[i + t] - mean);
            CHECK(found[t] == doctest::Approx(sum / static_cast<double>(n - t)).epsilon(1e-9));
        }
    }
}

TEST_CASE("the autocorrelation time of a chain of decay rho is (1 + rho) / (1 - rho) / 2") {
    std::mt19937 random(4);
    std::normal_distribution<double> noise;
    for (const double rho : {0.0, 0.5, 0.95}) {
        std::vector<double> x{0.0};
        for (int i = 1; i < 200000; ++i)
            x.push_back(rho * x.back() + std::sqrt(1 - rho * rho) * noise(random));
        const AutocorrelationTime found = autocorrelation_time(x);
        CHECK(std::abs(found.tau - (1 + rho) / (1 - rho) / 2) < 4 * found.error);
        CHECK(found.error < 0.1 * found.tau);
    }
}
