#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "statistics/average/disorder_average.hpp"
#include "statistics/thermal/shared_noise.hpp"
#include "statistics/thermal/thermal_means.hpp"
#include "unit/statistics/made_run.hpp"

using namespace psflip;

namespace {

/// Equal blocks of 10 measurements; all sums zero.
RunSums empty_run(int replicas, std::int64_t first, std::int64_t realizations, int blocks) {
    RunSums run = zero_run({}, replicas, realizations, blocks, 10 * blocks, 10);
    run.first_realization = first;
    return run;
}

struct Noise {
    double disorder, thermal;  ///< standard deviations: over realizations, of a block mean
    double correlation;        ///< of block means of a pack
};

/// Block sums of `series` in units of `norm`: a mean plus disorder plus noise that packs have in part in
/// common.
void fill(RunSums& run, Sum series, double norm, int share, const Noise& noise, std::mt19937_64& generator,
          double mean = 0.0) {
    std::normal_distribution<double> normal;
    const int components = run.components(series);
    std::vector<double> level, common;
    for (std::int64_t r = 0; r < run.realizations; ++r) level.push_back(noise.disorder * normal(generator));
    for (int b = 0; b < run.blocks.bins(); ++b)
        for (int c = 0; c < components; ++c) {
            double pack = 0.0;
            for (std::int64_t r = 0; r < run.realizations; ++r) {
                if (r % share == 0) pack = normal(generator);
                const double x = mean + level[r] +
                                 noise.thermal * (std::sqrt(noise.correlation) * pack +
                                                  std::sqrt(1.0 - noise.correlation) * normal(generator));
                run.blocks[series][(b * components + c) * run.realizations + r] = 10.0 * norm * x;
            }
        }
}

std::vector<double> shared_of(const RunSums& run, int share, Observable first, Observable second) {
    const BlockReader reader(run, 16, 0.0);
    return shared_covariance(reader, packs_of(reader, share), first, second);
}

std::vector<double> shared_of(const RunSums& run, int share, Observable observable) {
    return shared_of(run, share, observable, observable);
}

double sum(const std::vector<double>& packs) {
    return std::accumulate(packs.begin(), packs.end(), 0.0);
}

DisorderSample sample_of(const RunSums& run, int share) {
    DisorderSample sample;
    sample.L = run.L;
    sample.temperature = run.temperature;
    sample.realizations = run.realizations;
    const ThermalMeans means = thermal_means(BlockReader(run, 16, 0.0));
    for (int o = 0; o < n_observables; ++o) sample.values[o] = means.mean[o];
    for (const ObservableInfo& row : observable_table)
        if ((Observable(row)->shared == SharedNoise::known))
            sample.shared[Observable(row)] = {sum(shared_of(run, share, Observable(row)))};
    for (int p = 0; p < n_shared_pairs; ++p)
        sample.shared_pair[p] = {sum(shared_of(run, share, shared_pairs[p].first, shared_pairs[p].second))};
    return sample;
}

struct Coverage {
    double complete = 0.0, jackknife = 0.0;  ///< fraction within the error, true mean 0
    double variance = 0.0;                   ///< mean of the shared variance
};

Coverage coverage(Average average, Observable observable, Sum series, double norm, const Noise& noise) {
    constexpr int share = 32, repeats = 1000;
    std::mt19937_64 generator(5);
    Coverage result;
    for (int i = 0; i < repeats; ++i) {
        RunSums run = empty_run(2, 64, 80, 16);  // packs of 32, 32 and 16
        fill(run, series, norm, share, noise, generator);
        DisorderSample sample = sample_of(run, share);
        result.variance += sample.shared[static_cast<int>(observable)][0] / repeats;
        const Estimate complete = disorder_average(sample, average)[0];
        for (std::vector<double>& shared : sample.shared) shared.clear();
        const Estimate jackknife = disorder_average(sample, average)[0];
        CHECK(complete.value == jackknife.value);
        if (std::abs(complete.value) < complete.error) result.complete += 1.0 / repeats;
        if (std::abs(jackknife.value) < jackknife.error) result.jackknife += 1.0 / repeats;
    }
    return result;
}

}  // namespace

TEST_CASE("two realizations of a pack, by hand") {
    RunSums run = empty_run(2, 32, 3, 2);
    // (block, replica, realization): replica 0 moves by 8, 16, 0 between blocks, replica 1 by 8, -8, 8
    const double energies[2][2][3] = {{{-8, -16, -8}, {-8, 0, -8}}, {{0, 0, -8}, {0, -8, 0}}};
    for (int b = 0; b < 2; ++b)
        for (int a = 0; a < 2; ++a)
            for (int r = 0; r < 3; ++r)
                run.blocks[Sum::energy][(b * 2 + a) * 3 + r] = 10.0 * energies[b][a][r];
    // With two blocks V(x) = (x_1 - x_0)^2 / 4, per replica; energies per site: differences 1, 2, 0 and 1,
    // -1, 1. One pack: sums 3 and 1; (9 + 1)/4 - (1 + 4 + 0 + 1 + 1 + 1)/4 = 0.5, for the mean of two
    // replicas a quarter.
    CHECK(shared_of(run, 32, "energy") == std::vector<double>{0.125});
    CHECK(shared_of(run, 1, "energy").empty());
    // Realizations 32 and 33 | 34: sums 3, 0; (9 + 0 - 1 - 4 - 1 - 1)/4, and nothing.
    CHECK(shared_of(run, 2, "energy") == std::vector<double>{0.125, 0.0});
}

TEST_CASE("cases without shared noise to estimate") {
    const RunSums one_block = empty_run(1, 0, 4, 1);
    CHECK(std::isnan(shared_of(one_block, 32, "energy")[0]));
    CHECK(shared_of(one_block, 1, "energy").empty());
    const RunSums one_replica = empty_run(1, 0, 4, 4);
    CHECK(shared_of(one_replica, 32, "energy")[0] == 0.0);
    CHECK(std::isnan(shared_of(one_replica, 32, "q2")[0]));
    CHECK(std::isnan(shared_of(one_replica, 32, "kmin")[0]));
    CHECK_THROWS_AS(shared_of(one_replica, 32, "energy_product"), std::invalid_argument);
    RunSums alone = empty_run(2, 64, 1, 16);
    std::mt19937_64 generator(3);
    fill(alone, Sum::energy, 8.0, 32, {1.0, 1.0, 0.2}, generator);
    CHECK(shared_of(alone, 32, "energy")[0] == 0.0);
}

TEST_CASE("a negative estimate takes nothing off, and one that is missing shows") {
    DisorderSample sample;
    sample.L = 4;
    sample.temperature = {1.0, 2.0, 3.0};
    sample.realizations = 2;
    for (std::vector<double>& values : sample.values) values = {1, 1, 1, 3, 3, 3};
    for (std::vector<double>& shared : sample.shared) shared = {-1.0, 12.0, NAN};
    const AverageCurve q2 = disorder_average(sample, "q2");
    CHECK(q2[0].error == doctest::Approx(1.0));
    CHECK(q2[1].error == doctest::Approx(2.0));  // 1 + 12/4
    CHECK(std::isnan(q2[2].error));
    CHECK(disorder_average(sample, "chi_sg")[1].error == doctest::Approx(128.0));
    CHECK(shared_error(sample, "q2")[1] == doctest::Approx(std::sqrt(3.0)));
    CHECK(shared_error(sample, "binder").empty());
}

TEST_CASE("covariances of two observables, by hand") {
    RunSums run = empty_run(2, 0, 2, 2);
    const double q2[2][2] = {{0.1, 0.2}, {0.3, 0.6}},
                 q4[2][2] = {{0.2, 0.1}, {0.1, 0.4}};  // (block, realization)
    for (int b = 0; b < 2; ++b)
        for (int r = 0; r < 2; ++r) {
            run.blocks[Sum::overlap2][b * 2 + r] = 10.0 * q2[b][r];
            run.blocks[Sum::overlap4][b * 2 + r] = 10.0 * q4[b][r];
        }
    // differences between the blocks 0.2, 0.4 and -0.1, 0.3; (0.6 * 0.2 + 0.2 * 0.1 - 0.4 * 0.3) / 4
    CHECK(shared_of(run, 32, "q2", "q4")[0] == doctest::Approx(0.005));
    CHECK(shared_of(run, 1, "q2", "q4").empty());
}

TEST_CASE("the gradients of Binder ratio and correlation length, and when shared noise is not known") {
    DisorderSample sample;
    sample.L = 4;
    sample.temperature = {1.0};
    sample.realizations = 2;
    const auto set = [&](Observable o, double mean, double shared) {
        sample.values[static_cast<int>(o)] = {mean, mean};
        sample.shared[static_cast<int>(o)] = {shared};
    };
    set("q2", 0.5, 4e-4);
    set("q4", 0.3, 0.0);
    set("kmin", 0.2, 0.0);
    CHECK(shared_error(sample, "binder").empty());
    CHECK(disorder_average(sample, "binder")[0].error == doctest::Approx(0.0));
    CHECK(shared_error(sample, "chi_kmin")[0] == 0.0);
    sample.shared[Observable("kmin")].clear();
    CHECK(shared_error(sample, "chi_kmin").empty());
    set("kmin", 0.2, 4e-4);
    CHECK(disorder_average(sample, "chi_kmin")[0].value == doctest::Approx(12.8));
    CHECK(disorder_average(sample, "chi_kmin")[0].error == doctest::Approx(0.64));
    set("kmin", 0.2, 0.0);
    sample.shared_pair[0] = sample.shared_pair[1] = {0.0};
    const double h = 1e-5;  // by differences: 0.02 / 2 times the derivative
    CHECK(shared_error(sample, "binder")[0] ==
          doctest::Approx(0.01 * (binder_of(0.5 + h, 0.3) - binder_of(0.5 - h, 0.3)) / (2 * h)));
    CHECK(shared_error(sample, "xi_over_L")[0] ==
          doctest::Approx(0.01 * (xi_over_L_of(0.5 + h, 0.2, 4) - xi_over_L_of(0.5 - h, 0.2, 4)) / (2 * h)));
    set("q2", 0.5, 0.0);
    set("q4", 0.3, 4e-4);
    set("kmin", 0.2, 4e-4);
    CHECK(shared_error(sample, "binder")[0] ==
          doctest::Approx(-0.01 * (binder_of(0.5, 0.3 + h) - binder_of(0.5, 0.3 - h)) / (2 * h)));
    CHECK(shared_error(sample, "xi_over_L")[0] ==
          doctest::Approx(-0.01 * (xi_over_L_of(0.5, 0.2 + h, 4) - xi_over_L_of(0.5, 0.2 - h, 4)) / (2 * h)));
    sample.shared_pair[0] = {NAN};
    CHECK(std::isnan(disorder_average(sample, "binder")[0].error));
    sample.shared_pair[0] = {-1.0};  // a negative sum takes nothing off
    CHECK(std::isfinite(disorder_average(sample, "binder")[0].error));
}

TEST_CASE("error bars of the Binder ratio cover the truth though noise is shared" *
          doctest::test_suite("statistics")) {
    constexpr int share = 32, repeats = 1000;
    constexpr double q2 = 0.5, q4 = 0.3;
    std::mt19937_64 generator(5);
    double complete = 0.0, jackknife = 0.0;
    for (int i = 0; i < repeats; ++i) {
        RunSums run = empty_run(2, 64, 96, 16);
        std::mt19937_64 same = generator;  // q4 moves with q2, half as far: not as q2^2, so the ratio moves
        fill(run, Sum::overlap2, 1.0, share, {0.004, 0.02, 0.25}, generator, q2);
        fill(run, Sum::overlap4, 1.0, share, {0.002, 0.01, 0.25}, same, q4);
        fill(run, Sum::kmin_x, 3.0, share, {0.01, 0.01, 0.25}, generator, 0.1);
        DisorderSample sample = sample_of(run, share);
        const Estimate with = disorder_average(sample, "binder")[0];
        sample.shared_pair[0].clear();
        const Estimate without = disorder_average(sample, "binder")[0];
        CHECK(with.value == without.value);
        if (std::abs(with.value - binder_of(q2, q4)) < with.error) complete += 1.0 / repeats;
        if (std::abs(without.value - binder_of(q2, q4)) < without.error) jackknife += 1.0 / repeats;
    }
    CHECK(complete > 0.63);  // 68% expected, spread 1.5%
    CHECK(complete < 0.73);
    CHECK(jackknife < 0.5);
}

TEST_CASE("error bars cover the truth though noise is shared" * doctest::test_suite("long")) {
    const Noise shared{0.2, 1.0, 0.25}, separate{0.2, 1.0, 0.0};
    const double pairs = 2 * 32 * 31 + 16 * 15;  // of different realizations of a pack, ordered
    const Coverage energy = coverage("energy", "energy", Sum::energy, 8.0, shared);
    CHECK(energy.variance == doctest::Approx(pairs * 0.25 / (16 * 2)).epsilon(0.03));
    const Coverage q2 = coverage("q2", "q2", Sum::overlap2, 1.0, shared);
    CHECK(q2.variance == doctest::Approx(pairs * 0.25 / 16).epsilon(0.03));
    for (const Coverage& found : {energy, q2}) {
        CHECK(found.complete > 0.63);  // 68% expected, spread 1.5%
        CHECK(found.complete < 0.73);
        CHECK(found.jackknife < 0.45);
    }
    const Coverage none = coverage("energy", "energy", Sum::energy, 8.0, separate);
    CHECK(std::abs(none.variance) < 0.03 * 80 / 32);  // of the sum of the 80 thermal variances
    CHECK(none.complete > 0.63);
    CHECK(none.complete < 0.75);  // what is estimated above zero by chance counts
}
