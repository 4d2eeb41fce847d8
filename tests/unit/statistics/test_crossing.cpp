#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "statistics/disorder_average.hpp"

using namespace psflip;

namespace {

constexpr double critical = 1.1;

/// Finite-size scaling without corrections: all sizes cross at `critical`. Slopes like those of the ±J model.
double u4_of(double temperature, int L) {
    const double x = (temperature / critical - 1.0) * std::pow(L, 1.0 / 2.56);
    return 1.0 + 2.0 / (1.0 + std::exp(1.10 - 1.1 * x - 0.3 * x * x));
}
double exact_binder(double temperature, int L) {
    return 0.5 * (3.0 - u4_of(temperature, L));
}

std::vector<double> geometric(double lowest, double highest, int n) {
    std::vector<double> ladder;
    for (int i = 0; i < n; ++i) ladder.push_back(lowest * std::pow(highest / lowest, i / (n - 1.0)));
    return ladder;
}

/// Realizations whose [q2] is 0.3 and [q4] / [q2]^2 is u4_of, both scattered, and the scatter strongly
/// correlated in temperature and between q2 and q4, as parallel tempering and disorder do.
DisorderSample sample_of(int L, const std::vector<double>& ladder, int realizations, double scatter,
                         std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    DisorderSample sample{L, ladder, realizations, {}};
    for (int r = 0; r < realizations; ++r) {
        const double level = normal(generator), slope = normal(generator);
        for (double t : ladder) {
            const double common = level + 2.0 * slope * (t - critical) + 0.3 * normal(generator);
            const double q2 = 0.3 * (1.0 + 0.4 * scatter * common);
            const double q4 = 0.09 * u4_of(t, L) * (1.0 + scatter * (0.7 * common + 0.1 * normal(generator)));
            sample.values[static_cast<int>(Observable::q2)].push_back(q2);
            sample.values[static_cast<int>(Observable::q4)].push_back(q4);
            sample.values[static_cast<int>(Observable::kmin)].push_back(0.1);
        }
    }
    return sample;
}

Curve exact_curve(int L, const std::vector<double>& ladder, double error) {
    Curve curve{ladder, {}, std::vector<double>(ladder.size(), error)};
    for (double t : ladder) curve.value.push_back(exact_binder(t, L));
    return curve;
}

}  // namespace

TEST_CASE("averages of two realizations by hand") {
    DisorderSample sample{4, {1.0}, 2, {}};
    const auto set = [&](Observable o, double a, double b) { sample.values[static_cast<int>(o)] = {a, b}; };
    set(Observable::energy, -1.6, -1.8);
    set(Observable::q2, 0.4, 0.6);
    set(Observable::q4, 0.3, 0.5);
    set(Observable::kmin, 0.05, 0.15);
    const auto at = [&](Average average) { return disorder_average(sample, average)[0]; };
    CHECK(at(Average::energy).value == doctest::Approx(-1.7));
    CHECK(at(Average::energy).error == doctest::Approx(0.1));
    CHECK(at(Average::chi_sg).value == doctest::Approx(32.0));
    CHECK(at(Average::chi_sg).error == doctest::Approx(6.4));
    CHECK(at(Average::binder).value == doctest::Approx(0.5 * (3.0 - 0.4 / 0.25)));
    // leave-one-out: q4/q2^2 = 0.5/0.36 and 0.3/0.16; error is half their difference, halved again
    CHECK(at(Average::binder).error == doctest::Approx(0.25 * (0.3 / 0.16 - 0.5 / 0.36)));
    CHECK(at(Average::xi_over_L).value == doctest::Approx(2.0 / (8.0 * std::sin(M_PI / 4.0))));
    CHECK(std::isnan(xi_over_L_of(0.1, 0.2, 4)));
}

TEST_CASE("exact scaling curves cross where they should") {
    const auto ladder = geometric(0.8, 2.0, 16);
    const CrossingFit same(exact_curve(4, ladder, 0.01), exact_curve(8, ladder, 0.01));
    REQUIRE(same.found());
    CHECK(same.crossing().temperature == doctest::Approx(critical).epsilon(1e-3));
    CHECK(same.crossing().value == doctest::Approx(exact_binder(critical, 4)).epsilon(1e-3));
    const CrossingFit different(exact_curve(4, geometric(0.7, 1.9, 14), 0.01),
                                exact_curve(8, geometric(0.9, 1.6, 17), 0.01));
    REQUIRE(different.found());
    CHECK(different.crossing().temperature == doctest::Approx(critical).epsilon(1e-3));
    CHECK(different.crossing().value == doctest::Approx(exact_binder(critical, 4)).epsilon(1e-3));
}

TEST_CASE("no crossing") {
    const auto ladder = geometric(0.8, 2.0, 12);
    // above the critical temperature only; the wrong way round; no common range; useless errors
    const auto hot = geometric(1.3, 2.0, 8);
    CHECK_FALSE(CrossingFit(exact_curve(4, hot, 0.01), exact_curve(8, hot, 0.01)).found());
    CHECK_FALSE(CrossingFit(exact_curve(8, ladder, 0.001), exact_curve(4, ladder, 0.001)).found());
    CHECK_FALSE(CrossingFit(exact_curve(4, geometric(0.5, 0.9, 6), 0.01), exact_curve(8, hot, 0.01)).found());
    CHECK_FALSE(CrossingFit(exact_curve(4, ladder, NAN), exact_curve(8, ladder, 0.01)).found());
    CHECK(
        std::isnan(CrossingFit(exact_curve(4, hot, 0.01), exact_curve(8, hot, 0.01)).crossing().temperature));
}

TEST_CASE("few points, and points without a value") {
    const std::vector<double> three = {0.9, 1.15, 1.4};
    const CrossingFit line(exact_curve(4, three, 0.001), exact_curve(8, three, 0.001));
    REQUIRE(line.found());
    CHECK(line.crossing().temperature == doctest::Approx(critical).epsilon(0.05));
    const auto ladder = geometric(0.8, 2.0, 16);
    Curve holes = exact_curve(8, ladder, 0.01);
    holes.value[15] = holes.error[14] = holes.value[3] = NAN;
    const CrossingFit fit(exact_curve(4, ladder, 0.01), holes);
    REQUIRE(fit.found());
    CHECK(fit.crossing().temperature == doctest::Approx(critical).epsilon(2e-3));
}

TEST_CASE("crossing errors cover the truth as often as they should") {
    const auto ladder = geometric(0.8, 2.0, 16);
    for (const auto& [realizations, scatter] : {std::pair{500, 0.5}, std::pair{150, 0.4}}) {
        std::mt19937_64 generator(31);
        int found = 0, inside_t = 0, inside_value = 0;
        double squares = 0.0, error = 0.0;
        const int repeats = 400;
        for (int i = 0; i < repeats; ++i) {
            const auto small = sample_of(4, ladder, realizations, scatter, generator);
            const auto large = sample_of(8, ladder, realizations, scatter, generator);
            const CrossingEstimate estimate = crossing(small, large, Average::binder);
            if (std::isnan(estimate.temperature.value)) continue;
            ++found;
            squares += std::pow(estimate.temperature.value - critical, 2);
            error += estimate.temperature.error;
            inside_t += std::abs(estimate.temperature.value - critical) < estimate.temperature.error;
            inside_value += std::abs(estimate.value.value - exact_binder(critical, 4)) < estimate.value.error;
        }
        CHECK(found > 0.98 * repeats);
        // the quoted error is the true scatter
        CHECK(error / found == doctest::Approx(std::sqrt(squares / found)).epsilon(0.1));
        // 68.3% expected; 400 repeats spread 2.3%
        CHECK(inside_t == doctest::Approx(0.683 * found).epsilon(0.1));
        CHECK(inside_value == doctest::Approx(0.683 * found).epsilon(0.1));
    }
}

TEST_CASE("crossings of all pairs, in order") {
    std::mt19937_64 generator(37);
    const auto ladder = geometric(0.8, 2.0, 16);
    std::vector<DisorderSample> samples;
    for (int L : {4, 6, 8}) samples.push_back(sample_of(L, ladder, 300, 0.2, generator));
    const auto all = crossings(samples, Average::binder);
    REQUIRE(all.size() == 3);
    CHECK(all[1].L1 == 4);
    CHECK(all[1].L2 == 8);
    for (const auto& estimate : all)
        CHECK(std::abs(estimate.temperature.value - critical) < 4.0 * estimate.temperature.error);
    const auto alone = crossing(samples[0], samples[2], Average::binder);
    CHECK(alone.temperature.value == all[1].temperature.value);
    CHECK(alone.temperature.error == all[1].temperature.error);
}
