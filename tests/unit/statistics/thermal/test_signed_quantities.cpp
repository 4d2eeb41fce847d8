#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "statistics/thermal/thermal_means.hpp"
#include "unit/statistics/made_run.hpp"

using namespace psflip;

namespace {

/// Adds AR(1) series of the integrated time `tau` (in measurements) and variance 0.01 to a sum of a quantity,
/// and their squares to another, in one component of each replica.
void fill(RunSums& run, Sum sum, double norm, Sum squares, int part, int parts, double tau) {
    const double rho = (tau - 0.5) / (tau + 0.5);
    std::mt19937_64 generator(7);
    std::normal_distribution<double> normal;
    const int each = static_cast<int>(run.blocks.count.front()),
              measurements = each * static_cast<int>(run.blocks.count.size());
    for (int a = 0; a < run.replicas; ++a)
        for (int r = 0; r < run.realizations; ++r) {
            double x = normal(generator);
            for (int m = 0; m < measurements; ++m) {
                const auto at = (m / each * run.components(sum) + a * parts + part) * run.realizations + r;
                run.blocks[sum][at] += 0.1 * norm * x;
                run.blocks[squares][at] += 0.01 * x * x;
                x = rho * x + std::sqrt(1.0 - rho * rho) * normal(generator);
            }
        }
}

int count_nan(const std::vector<double>& values) {
    return static_cast<int>(std::ranges::count_if(values, [](double x) { return std::isnan(x); }));
}

}  // namespace

TEST_CASE("the error of a magnetisation with its sign follows its own autocorrelation time") {
    constexpr int realizations = 200, measurements = 16384;
    constexpr double tau = 80.0, sites = 8.0;
    RunSums run = zero_run({.kind = ModelKind::ferromagnet}, 1, realizations, 512, measurements);
    fill(run, Sum::magnetisation, sites, Sum::magnetisation2, 0, 1, tau);
    const ThermalMeans means = thermal_means(BlockReader(run, 512, 0.0));
    double variance = 0.0;
    for (const double error : means.error[Observable("m")]) variance += error * error / realizations;
    const double exact = 2.0 * tau / measurements * 0.01;
    CHECK(variance / exact > 0.8);
    CHECK(variance / exact < 1.1);
}

TEST_CASE("a run that is too short for it gives a magnetisation without an error") {
    RunSums run = zero_run({.kind = ModelKind::ferromagnet}, 1, 50, 64, 2048);
    fill(run, Sum::magnetisation, 8.0, Sum::magnetisation2, 0, 1, 500.0);
    const ThermalMeans means = thermal_means(BlockReader(run, 64, 0.0));
    CHECK(count_nan(means.error[Observable("m")]) > 30);
    CHECK(count_nan(means.mean[Observable("m")]) == 0);
}

TEST_CASE("the susceptibility of a moment with one replica is exact, or withheld in a short run") {
    constexpr int realizations = 100, chi = Observable("chi_x");
    constexpr double exact = 8.0 / 2.0 * 0.01;  // N / T times the variance
    for (const int replicas : {1, 2})
        for (const double tau : {50.0, 2000.0}) {
            CAPTURE(replicas);
            CAPTURE(tau);
            RunSums run = zero_run({.kind = ModelKind::heisenberg}, replicas, realizations, 512, 16384);
            fill(run, Sum::directions, 1.0, Sum::directions2, 0, directions, tau);
            const ThermalMeans means = thermal_means(BlockReader(run, 512, 0.0));
            const bool short_run = tau > 1000.0;
            const auto withheld = std::ranges::count(means.withheld, 1);
            CHECK(count_nan(means.mean[chi]) == withheld);
            CHECK((withheld > realizations / 2) == (short_run && replicas == 1));
            CHECK((count_nan(means.error[chi]) > realizations / 2) == short_run);
            if (short_run && replicas == 1) continue;
            double mean = 0.0, squares = 0.0;
            for (const double value : means.mean[chi]) {
                mean += value / realizations;
                squares += value * value / realizations;
            }
            const double error = std::sqrt((squares - mean * mean) / realizations);
            CHECK(std::abs(mean - exact) < 4.0 * error + 0.02 * exact);
        }
}
