#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

#include "statistics/equilibrium/equilibration.hpp"

using namespace psflip;

namespace {

constexpr int length = 1024, blocks = 16;

const BlockDivision bins = {{0, length / 16, length / 8, length / 4, length / 2, length},
                            {length / 16, length / 16, length / 8, length / 4, length / 2}};

BlockDivision equal_blocks() {
    BlockDivision division{{0}, {}};
    for (int b = 0; b < blocks; ++b) {
        division.edges.push_back(length / blocks * (b + 1));
        division.count.push_back(length / blocks);
    }
    return division;
}

Log2Deviation deviation_of(const std::vector<BinnedSeries>& series) {
    return log2_deviation(bins, equal_blocks(), series);
}

/// The series value(k), k = 1..length, in bins and blocks.
BinnedSeries series_of(const std::function<double(int)>& value) {
    BinnedSeries series{std::vector<double>(5, 0.0), std::vector<double>(5, 0.0),
                        std::vector<double>(blocks, 0.0)};
    for (int k = 1; k <= length; ++k) {
        int bin = 0;
        while (k > bins.edges[bin + 1]) ++bin;
        const double x = value(k);
        series.bin_sum[bin] += x;
        series.bin_square[bin] += x * x;
        series.block_sum[(k - 1) * blocks / length] += x;
    }
    return series;
}

struct Ar1 {
    Ar1(double rho, std::mt19937_64& generator) : rho(rho), generator(generator) {
        x = normal(generator) / std::sqrt(1.0 - rho * rho);
    }
    double operator()() { return x = rho * x + normal(generator); }
    double rho, x;
    std::mt19937_64& generator;
    std::normal_distribution<double> normal;
};

/// Fraction of single comparisons beyond `threshold` among `repeats` stationary series of `replicas`.
double alarm_rate(double rho, int replicas, double threshold, int repeats) {
    std::mt19937_64 generator(17);
    int alarms = 0;
    for (int i = 0; i < repeats; ++i) {
        std::vector<BinnedSeries> series;
        for (int a = 0; a < replicas; ++a) {
            Ar1 ar1(rho, generator);
            series.push_back(series_of([&](int) { return ar1(); }));
        }
        const Log2Deviation deviation = deviation_of(series);
        for (double sigma : deviation.sigma) alarms += std::abs(sigma) > threshold ? 1 : 0;
    }
    return alarms / (2.0 * repeats);
}

}  // namespace

TEST_CASE("the deviation by hand") {
    // Bins of 2, 2 and 4 measurements in blocks of 1: the means are 3, 2, 5.
    const BlockDivision three{{0, 2, 4, 8}, {2, 2, 4}},
        eight{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 1, 1, 1, 1, 1, 1}};
    const std::vector<double> x = {2, 4, 1, 3, 4, 6, 3, 7};
    const BinnedSeries series{{6, 4, 20}, {20, 10, 110}, x};
    const Log2Deviation deviation = log2_deviation(three, eight, {series});
    CHECK(deviation.dof == 5);
    // Within bins: squares 2 + 2 + 10 over 5 dof is 2.8; the floor: <x^2> - <x>^2 = 140/8 - (30/8)^2
    // = 3.4375.
    const double t1 = 3.0 / std::sqrt(3.4375 * (1.0 / 4 + 1.0 / 2)), t2 = 2.0 / std::sqrt(3.4375 * 0.75);
    CHECK(deviation.sigma[0] > 0.0);
    CHECK(deviation.sigma[0] < t1);
    // Student's t with 5 dof at t1 = 1.868 has p = 0.1207, at t2 = 1.2456 p = 0.2681 (independent
    // computation)
    CHECK(t1 == doctest::Approx(1.86840).epsilon(1e-5));
    CHECK(std::erfc(deviation.sigma[0] / std::sqrt(2.0)) == doctest::Approx(0.120662).epsilon(1e-3));
    CHECK(std::erfc(deviation.sigma[1] / std::sqrt(2.0)) == doctest::Approx(0.268098).epsilon(1e-3));
    CHECK(t2 == doctest::Approx(1.24560).epsilon(1e-5));
}

TEST_CASE("false alarms of stationary AR(1) series are as rare as stated") {
    // Two-sided normal: 4.55% beyond 2, 0.27% beyond 3. 16000 comparisons in pairs: spread 0.2% and 0.05%.
    CHECK(alarm_rate(0.0, 1, 2.0, 8000) == doctest::Approx(0.0455).epsilon(0.15));
    CHECK(alarm_rate(0.0, 1, 3.0, 8000) < 0.0045);
    CHECK(alarm_rate(0.5, 1, 2.0, 8000) < 0.06);
    CHECK(alarm_rate(0.5, 2, 3.0, 8000) < 0.0055);
    CHECK(alarm_rate(0.8, 1, 3.0, 8000) < 0.0065);  // tau 4.5 measurements in blocks of 64
    CHECK(alarm_rate(0.8, 2, 4.0, 8000) < 5e-4);
}

TEST_CASE("an equilibrated realization passes with more than 99%") {
    // 24 temperatures with independent series, energy of 2 replicas and q^2, tau 1.5 and threshold 4
    std::mt19937_64 generator(23);
    const int temperatures = 24, realizations = 400;
    int failed = 0;
    for (int r = 0; r < realizations; ++r) {
        std::vector<double> sigma;
        for (int t = 0; t < temperatures; ++t) {
            Ar1 a(0.5, generator), b(0.5, generator), q(0.5, generator);
            const auto energy =
                deviation_of({series_of([&](int) { return a(); }), series_of([&](int) { return b(); })});
            const auto q2 = deviation_of({series_of([&](int) { return q(); })});
            sigma.insert(sigma.end(), {energy.sigma[0], energy.sigma[1], q2.sigma[0], q2.sigma[1]});
        }
        failed += judge(sigma.data(), temperatures, 4, 4, 1, 4.0).equilibrated ? 0 : 1;
    }
    CHECK(failed <= 0.01 * realizations);
}

TEST_CASE("drifting series are caught") {
    std::mt19937_64 generator(29);
    int linear = 0, logarithmic = 0, one_bin = 0;
    const int repeats = 300;
    for (int i = 0; i < repeats; ++i) {
        Ar1 a(0.5, generator), b(0.5, generator), c(0.5, generator);
        const auto caught = [](const BinnedSeries& series) {
            const auto d = deviation_of({series});
            return std::max(std::abs(d.sigma[0]), std::abs(d.sigma[1])) > 4.0 ? 1 : 0;
        };
        // single-measurement standard deviation 1.15; error of the mean over half the run 0.09
        linear += caught(series_of([&](int k) { return a() - 4.0 * k / length; }));
        logarithmic += caught(series_of([&](int k) { return b() - 1.5 * std::log(k); }));
        one_bin += caught(series_of([&](int k) { return c() + (k > length / 2 ? 1.7 : 0.0); }));
    }
    CHECK(linear > 0.9 * repeats);
    CHECK(logarithmic > 0.85 * repeats);
    CHECK(one_bin > 0.85 * repeats);
}

TEST_CASE("frozen and nearly frozen series") {
    const auto sigma = [](const std::function<double(int)>& value) {
        const auto d = deviation_of({series_of(value)});
        return std::max(std::abs(d.sigma[0]), std::abs(d.sigma[1]));
    };
    CHECK(sigma([](int) { return -1.7; }) == 0.0);
    // one excitation anywhere is no alarm
    for (int where : {1, 100, 200, 300, 600, 1024})
        CHECK(sigma([&](int k) { return k == where ? -1.6 : -1.7; }) < 4.0);
    // another ground state found in the middle of the last bins is one
    CHECK(sigma([](int k) { return k <= length / 2 ? -1.6 : -1.7; }) > 4.0);
}

TEST_CASE("too little data cannot be judged") {
    const BlockDivision one{{0, 8}, {8}}, two{{0, 4, 8}, {4, 4}};
    CHECK(std::isnan(log2_deviation(one, two, {BinnedSeries{{8}, {9}, {4, 4}}}).sigma[0]));
    CHECK(std::isnan(log2_deviation(two, one, {BinnedSeries{{4, 4}, {5, 5}, {8}}}).sigma[0]));
    const double nothing[2] = {NAN, NAN};
    const Verdict verdict = judge(nothing, 1, 2, 2, 1, 4.0);
    CHECK_FALSE(verdict.equilibrated);
    CHECK(verdict.worst_temperature == -1);
    const double some[4] = {0.5, NAN, -3.0, 1.0};
    CHECK(judge(some, 2, 2, 2, 1, 4.0).equilibrated);
    CHECK(judge(some, 2, 2, 2, 1, 4.0).max_deviation == 3.0);
    CHECK(judge(some, 2, 2, 2, 1, 4.0).worst_temperature == 1);
    CHECK_FALSE(judge(some, 2, 2, 2, 1, 2.0).equilibrated);
}

TEST_CASE("what a verdict rests on") {
    const std::string full = verdict_basis(EquilibrationRule::log2, 20.0, 24),
                      field = verdict_basis(EquilibrationRule::log2, 20.0, 24, {.field = true});
    CHECK(full == "log2 test, temperature walk and hottest temperature");
    CHECK(field.find("in a field its spins are never forgotten") != std::string::npos);
    const std::string vectors = verdict_basis(EquilibrationRule::log2, 20.0, 24, {.components = 3});
    CHECK(vectors.find("runs of vector spins do not test it") != std::string::npos);
    for (const std::string& basis : {full, field, vectors}) {
        CHECK(basis_warning(basis).empty());
        CHECK(is_tested(basis));
    }
    const std::string one = verdict_basis(EquilibrationRule::log2, 20.0, 1, {.field = true}),
                      off = verdict_basis(EquilibrationRule::log2, 0.0, 24),
                      none = verdict_basis(EquilibrationRule::none, 20.0, 24);
    CHECK(one == "not tested (one temperature has the log2 test alone)");
    CHECK(verdict_basis(EquilibrationRule::log2, 0.0, 1) == one);
    CHECK(verdict_basis(EquilibrationRule::log2, 20.0, 1) == "log2 test and memory of the start");
    CHECK(is_tested(verdict_basis(EquilibrationRule::log2, 20.0, 1)));
    CHECK(basis_warning(verdict_basis(EquilibrationRule::log2, 20.0, 1)).empty());
    CHECK_FALSE(is_tested(one));
    CHECK_FALSE(is_tested(full + "; " + one));
    CHECK(basis_warning(one).kind == "untested");
    CHECK(basis_warning(off).kind == "log2_alone");
    CHECK(basis_warning(none).kind == "test_none");
    CHECK(basis_warning(one).text.starts_with("equilibrium was not tested: with one temperature"));
    CHECK(is_tested(off));
    const std::string mixed = verdict_basis(EquilibrationRule::log2, 20.0, 24, {}, true);
    CHECK(mixed.starts_with(full));
    CHECK(is_tested(mixed));
    CHECK(basis_warning(mixed).kind == "mixed_walkers");
    CHECK(basis_warning(mixed + "; " + off).kind == "log2_alone");
    CHECK(verdict_basis(EquilibrationRule::log2, 0.0, 24, {}, true) == off);
    CHECK(off == "log2 test alone (equilibration.min_walk_times is 0)");
    CHECK(none == "nothing (equilibration.test is none)");
    for (const std::string& basis : {off, none, full + "; " + off})
        CHECK(basis_warning(basis).text.find(basis + ", which seldom notices a run that is too short") !=
              std::string::npos);
}
