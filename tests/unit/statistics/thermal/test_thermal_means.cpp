#include <doctest/doctest.h>

#include <cmath>

#include "statistics/student.hpp"
#include "statistics/thermal/thermal_means.hpp"
#include "unit/statistics/made_run.hpp"

using namespace psflip;

namespace {

/// One temperature and realization, 8 sites, blocks of one measurement: energies by replica and block, and
/// overlaps by block of two replicas or more.
RunSums run_of(int replicas, const std::vector<std::vector<double>>& energies,
               const std::vector<double>& overlaps) {
    const int blocks = static_cast<int>(energies[0].size());
    RunSums run = zero_run({}, replicas, 1, blocks, blocks, 10);
    for (int b = 0; b < blocks; ++b) {
        for (int a = 0; a < replicas; ++a) {
            run.blocks[Sum::energy][b * replicas + a] = energies[a][b];
            run.blocks[Sum::energy2][b * replicas + a] = energies[a][b] * energies[a][b];
        }
        if (replicas < 2) continue;
        const double q = overlaps[b] / 8.0;
        run.blocks[Sum::overlap][b] = overlaps[b];
        run.blocks[Sum::overlap_abs][b] = std::abs(overlaps[b]);
        run.blocks[Sum::overlap2][b] = q * q;
        run.blocks[Sum::overlap4][b] = q * q * q * q;
        run.blocks[Sum::link][b] = 12.0;
        run.blocks[Sum::kmin_x][b] = 0.6;  // of all axes
    }
    return run;
}

}  // namespace

TEST_CASE("two replicas by hand") {
    const RunSums run = run_of(2, {{-8, -16, -8, -8}, {-16, -8, -8, -16}}, {8, -8, 4, 4});
    const BlockReader reader(run, 16, 0.0);
    const ThermalMeans means = thermal_means(reader);
    const auto mean = [&](Observable o) { return means.mean[static_cast<int>(o)][0]; };
    const auto error = [&](Observable o) { return means.error[static_cast<int>(o)][0]; };
    // per site: 1, 2, 1, 1 and 2, 1, 1, 2 (negative): means -1.25 and -1.5
    CHECK(mean("energy") == doctest::Approx(-1.375));
    // block squares about the mean: 0.75 and 1.0; variances 0.75/12 and 1/12
    CHECK(error("energy") == doctest::Approx(0.5 * std::sqrt(1.75 / 12.0) * student_factor(6)));
    CHECK(mean("energy2") == doctest::Approx((7.0 / 4.0 + 10.0 / 4.0) / 2.0));
    CHECK(mean("energy_product") == doctest::Approx(1.25 * 1.5));
    CHECK(mean("specific_heat") == doctest::Approx(0.25 * 8.0 * (2.125 - 1.875)));
    CHECK(error("specific_heat") > 0.0);
    CHECK(mean("q") == doctest::Approx(0.25));
    CHECK(mean("q_abs") == doctest::Approx(0.75));
    CHECK(mean("q2") == doctest::Approx((1.0 + 1.0 + 0.25 + 0.25) / 4.0));
    CHECK(mean("q4") == doctest::Approx((1.0 + 1.0 + 0.0625 + 0.0625) / 4.0));
    CHECK(mean("q_link") == doctest::Approx(0.5));
    CHECK(error("q_link") == 0.0);
    CHECK(mean("kmin") == doctest::Approx(0.2));
    // q^2: 1, 1, 1/4, 1/4: squares 4 * 0.375^2 = 0.5625; variance of the mean 0.5625 / 12 = 0.046875
    CHECK(error("q2") == doctest::Approx(std::sqrt(0.046875) * student_factor(3)));
    // single: <q4> - <q2>^2 + variance = 0.53125 - 0.390625 + 0.046875; 4 measurements, 10 sweeps apart
    CHECK(means.tau_order[0] == doctest::Approx(10.0 * 0.5 * 4.0 * 0.046875 / 0.1875));
    CHECK(means.tau_energy[0] == doctest::Approx(5.0));  // blocks of one measurement: always independent
}

TEST_CASE("correlated replicas: their average is one series, and products lose the variance of its mean") {
    RunSums run = run_of(2, {{-8, -16, -8, -8}, {-16, -8, -8, -16}}, {8, -8, 4, 4});
    run.correlated_replicas = true;
    const ThermalMeans means = thermal_means(BlockReader(run, 16, 0.0));
    // averages of both replicas: 1.5, 1.5, 1, 1.5 (negative); squares about the mean: 0.1875
    const double variance = 0.1875 / 12.0;
    CHECK(means.mean[Observable("energy")][0] == doctest::Approx(-1.375));
    CHECK(means.error[Observable("energy")][0] == doctest::Approx(std::sqrt(variance) * student_factor(3)));
    CHECK(means.mean[Observable("energy_product")][0] == doctest::Approx(1.375 * 1.375 - variance));
    CHECK(means.mean[Observable("specific_heat")][0] ==
          doctest::Approx(2.0 * (2.125 - 1.375 * 1.375 + variance)));
    run.blocks[Sum::energy] = run.blocks[Sum::energy2] =
        std::vector<double>{-8, -8, -16, -16, -8, -8, -8, -8};
    const ThermalMeans copies = thermal_means(BlockReader(run, 16, 0.0));
    CHECK(copies.error[Observable("energy")][0] ==
          doctest::Approx(std::sqrt(0.75 / 12.0) * student_factor(3)));
}

TEST_CASE("one replica: block-corrected square, no overlaps") {
    const RunSums run = run_of(1, {{-8, -16, -8, -8}}, {});
    const BlockReader reader(run, 16, 0.0);
    const ThermalMeans means = thermal_means(reader);
    const auto mean = [&](Observable o) { return means.mean[static_cast<int>(o)][0]; };
    CHECK(mean("energy") == doctest::Approx(-1.25));
    CHECK(mean("energy_product") == doctest::Approx(1.5625 - 0.75 / 12.0));
    CHECK(mean("specific_heat") == doctest::Approx(2.0 * (1.75 - 1.5)));
    CHECK(std::isnan(mean("q2")));
    CHECK(std::isnan(means.tau_order[0]));
    const EquilibrationTest test = test_equilibration(run, 16, 4.0);
    CHECK_FALSE(std::isnan(test.sigma_energy[0]));
    CHECK(std::isnan(test.sigma_order[0]));
    CHECK(test.verdict[0].equilibrated);
}

TEST_CASE("more than two replicas: the product averages over distinct pairs") {
    const RunSums run = run_of(3, {{-8, -8}, {-16, -16}, {-24, -24}}, {8, 8});
    const ThermalMeans means = thermal_means(BlockReader(run, 16, 0.0));
    CHECK(means.mean[Observable("energy_product")][0] ==
          doctest::Approx((1.0 * 2.0 + 1.0 * 3.0 + 2.0 * 3.0) / 3.0));
}

TEST_CASE("bin means") {
    const RunSums run = run_of(2, {{-8, -16, -8, -8}, {-16, -8, -8, -16}}, {8, -8, 4, 4});
    const BinnedSums bins = merge_bins(run.blocks, {0, 10, 20, 40});
    CHECK(bin_means(run, bins, Sum::energy) == std::vector<double>{-1.5, -1.5, -1.25});
    CHECK(bin_means(run, bins, Sum::overlap2) == std::vector<double>{1.0, 1.0, 0.25});
}

TEST_CASE("what moved: an energy that changes anywhere, or a swap") {
    CHECK(moved(run_of(2, {{-8, -8, -8, -8}, {-16, -16, -16, -16}}, {8, -8, 4, 4})) ==
          std::vector<std::uint8_t>{0});
    CHECK(moved(run_of(2, {{-8, -8, -8, -8}, {-16, -16, -12, -16}}, {8, 8, 8, 8})) ==
          std::vector<std::uint8_t>{1});
    RunSums swaps = run_of(1, {{-8, -8}}, {});
    swaps.temperatures = 2;
    for (Sum series : {Sum::energy, Sum::energy2}) {
        const double value = swaps.blocks[series][0];
        swaps.blocks[series].assign(2 * 2, value);  // (block, temperature)
    }
    swaps.accepted = {0};
    CHECK(moved(swaps) == std::vector<std::uint8_t>{0});
    swaps.accepted = {1};
    CHECK(moved(swaps) == std::vector<std::uint8_t>{1});
}

TEST_CASE("the first part is discarded") {
    const RunSums run = run_of(2, {{-8, -16, -8, -8}, {-16, -8, -8, -16}}, {8, -8, 4, 4});
    const BlockReader reader(run, 4, 0.5);
    CHECK(reader.from() == 20);
    CHECK(reader.total() == 2.0);
    const ThermalMeans means = thermal_means(reader);
    CHECK(means.mean[Observable("energy")][0] == doctest::Approx(-1.25));
    CHECK(means.error[Observable("energy")][0] == doctest::Approx(0.25 * student_factor(2)));
    CHECK(means.mean[Observable("q2")][0] == doctest::Approx(0.25));
    CHECK(means.blocks == std::vector<std::int32_t>{2});
    CHECK(BlockReader(run, 4, 0.24).from() == 0);
    CHECK(BlockReader(run, 4, 0.25).from() == 10);
    CHECK(BlockReader(run, 4, 0.9).from() == 30);
}
