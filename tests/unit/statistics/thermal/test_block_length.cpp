#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "statistics/student.hpp"
#include "statistics/thermal/thermal_means.hpp"
#include "unit/statistics/made_run.hpp"

using namespace psflip;

namespace {

/// One replica; energies are AR(1) series of the integrated time `tau` in measurements, variance 1 per
/// lattice.
RunSums correlated_run(double tau, int measurements, int blocks, int realizations) {
    RunSums run = zero_run({}, 1, realizations, blocks, measurements);
    const double rho = (tau - 0.5) / (tau + 0.5);
    std::mt19937_64 generator(7);
    std::normal_distribution<double> normal;
    for (int r = 0; r < realizations; ++r) {
        double x = normal(generator);
        for (int m = 0; m < measurements; ++m) {
            const int at = m / (measurements / blocks) * realizations + r;
            run.blocks[Sum::energy][at] += x;
            run.blocks[Sum::energy2][at] += x * x;
            x = rho * x + std::sqrt(1.0 - rho * rho) * normal(generator);
        }
    }
    return run;
}

}  // namespace

TEST_CASE("blocks grow until they are long against the autocorrelation time") {
    constexpr int realizations = 400, measurements = 4096;
    for (const double tau : {0.5, 3.0, 20.0}) {
        const RunSums run = correlated_run(tau, measurements, 512, realizations);
        const ThermalMeans means = thermal_means(BlockReader(run, 512, 0.0));
        double variance = 0.0, time = 0.0;
        for (int r = 0; r < realizations; ++r) {
            variance += std::pow(means.error[0][r] / student_factor(means.blocks[r] - 1), 2) / realizations;
            time += means.tau_energy[r] / realizations;
        }
        const double exact = 2.0 * tau / measurements / 64.0;
        INFO(tau);
        // at most 10% too small, and what choosing the number of blocks from the same data costs
        CHECK(variance / exact > 0.85);
        CHECK(variance / exact < 1.06);
        CHECK(time == doctest::Approx(tau).epsilon(0.15));
        CHECK(std::count(means.too_short.begin(), means.too_short.end(), 1) == 0);
        const auto [fewest, most] = std::minmax_element(means.blocks.begin(), means.blocks.end());
        CHECK(*most <= std::max(512.0, measurements / (8.0 * tau)));
        CHECK(*fewest >= (tau < 1.0 ? 256 : measurements / (40.0 * tau)));
    }
}

TEST_CASE("a run that is too short for errors is marked") {
    const RunSums run = correlated_run(300.0, 2048, 64, 100);
    const ThermalMeans means = thermal_means(BlockReader(run, 64, 0.0));
    CHECK(std::count(means.too_short.begin(), means.too_short.end(), 1) > 60);
    CHECK(*std::max_element(means.blocks.begin(), means.blocks.end()) < 64);
}

TEST_CASE("a pack has one number of blocks, from its sums") {
    const RunSums run = correlated_run(20.0, 4096, 512, 64);
    const BlockReader reader(run, 512, 0.0);
    const BlockLength length = reader.block_length(0, 0, 64);
    CHECK(length.long_enough);
    CHECK((reader.count(length.level).size() == 16 || reader.count(length.level).size() == 8));
}

TEST_CASE("the log2 test does not depend on the number of blocks") {
    int failed[3] = {};
    const int blocks[3] = {16, 128, 1024};
    for (int k = 0; k < 3; ++k) {
        const RunSums run = correlated_run(12.0, 8192, blocks[k], 512);
        for (const Verdict& verdict : test_equilibration(run, blocks[k], 4.0).verdict)
            failed[k] += !verdict.equilibrated;
    }
    INFO(failed[0], " ", failed[1], " ", failed[2]);
    CHECK(std::ranges::max(failed) <= 2);
}
