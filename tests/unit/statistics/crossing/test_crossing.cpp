#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <tuple>

#include "statistics/crossing/crossing.hpp"
#include "statistics/crossing/crossing_fits.hpp"

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
/// own: size of the part that is not common to temperatures.
DisorderSample sample_of(int L, const std::vector<double>& ladder, int realizations, double scatter,
                         double own, std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    DisorderSample sample{L, ladder, realizations, {}};
    for (int r = 0; r < realizations; ++r) {
        const double level = normal(generator), slope = normal(generator);
        for (double t : ladder) {
            const double common = level + 2.0 * slope * (t - critical) + 0.3 * own * normal(generator);
            const double q2 = 0.3 * (1.0 + 0.4 * scatter * common);
            const double q4 =
                0.09 * u4_of(t, L) * (1.0 + scatter * (0.7 * common + 0.1 * own * normal(generator)));
            sample.values[static_cast<int>(Observable::q2)].push_back(q2);
            sample.values[static_cast<int>(Observable::q4)].push_back(q4);
            sample.values[static_cast<int>(Observable::kmin)].push_back(0.1);
        }
    }
    return sample;
}

/// A curve without noise in its values, and jackknife samples of 200 groups that deviate from it together and
/// each by itself, as an error `error` of which the part `own` is not common to temperatures.
ResampledCurve curve_of(int L, const std::vector<double>& ladder, const std::function<double(double, int)>& f,
                        double error, double own, std::mt19937_64& generator) {
    constexpr int groups = 200;
    std::normal_distribution<double> normal(0.0, error / std::sqrt(groups));
    ResampledCurve curve{L, ladder, {}, {}, std::vector<double>(ladder.size(), 0.0)};
    for (double t : ladder) curve.value.push_back(f(t, L));
    for (int g = 0; g < groups; ++g) {
        const double common = normal(generator);
        curve.left_out.push_back(curve.value);
        for (double& x : curve.left_out.back())
            x += std::sqrt(1.0 - own * own) * common + own * normal(generator);
    }
    return curve;
}

CrossingEstimate exact_crossing(const std::vector<double>& ladder_small,
                                const std::vector<double>& ladder_large,
                                const std::function<double(double, int)>& f, double error = 0.003) {
    std::mt19937_64 generator(7);
    return crossing(curve_of(4, ladder_small, f, error, 0.1, generator),
                    curve_of(8, ladder_large, f, error, 0.1, generator));
}

/// Curves of a ferromagnet's overlap: steep, with a wide flat part on either side.
double steep(double temperature, int L) {
    return 0.5 - 0.5 * std::tanh((temperature / critical - 1.0) * 5.0 * L);
}

CrossingEstimate binder_crossing(const DisorderSample& small, const DisorderSample& large) {
    return crossings({small, large}, Average::binder).front();
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
    for (const auto& found :
         {exact_crossing(ladder, ladder, exact_binder),
          exact_crossing(geometric(0.7, 1.9, 14), geometric(0.9, 1.6, 17), exact_binder)}) {
        CHECK(found.temperature.value == doctest::Approx(critical).epsilon(1e-3));
        CHECK(found.value.value == doctest::Approx(exact_binder(critical, 4)).epsilon(1e-3));
        CHECK(found.chi2 <= 2.0 * found.dof);
        CHECK(found.note.empty());
    }
}

TEST_CASE("no crossing says why") {
    const auto ladder = geometric(0.8, 2.0, 12), hot = geometric(1.3, 2.0, 8);
    const auto wrong = [](double t, int L) { return exact_binder(t, 12 - L); };
    const std::string never =
        "the difference of the curves does not change its sign by 2 sigma on both sides";
    CHECK(exact_crossing(hot, hot, exact_binder).note == never);
    CHECK(exact_crossing(ladder, ladder, wrong).note == never);
    CHECK(exact_crossing(ladder, ladder, exact_binder, 100.0).note == never);
    CHECK(exact_crossing(geometric(0.5, 0.9, 6), hot, exact_binder).note ==
          "fewer than two common temperatures with values");
    const auto nothing = exact_crossing(ladder, ladder, [](double, int) { return NAN; });
    CHECK(nothing.note == "fewer than two common temperatures with values");
    CHECK(std::isnan(nothing.temperature.value));
    CHECK(std::isnan(nothing.temperature.error));
    CHECK(nothing.dof == 0);
}

TEST_CASE("few points, and points without a value") {
    const CrossingEstimate two = exact_crossing({0.9, 1.4}, {0.9, 1.4}, exact_binder, 0.001);
    CHECK(two.degree == 1);
    CHECK(two.interpolation == doctest::Approx(0.25));  // nothing is known but the bracket
    const CrossingEstimate three = exact_crossing({0.9, 1.15, 1.4}, {0.9, 1.15, 1.4}, exact_binder, 0.001);
    CHECK(three.degree == 2);
    CHECK(std::isnan(three.p));
    CHECK(three.temperature.value == doctest::Approx(critical).epsilon(0.05));
    CHECK(std::abs(three.temperature.value - critical) < 2.0 * three.temperature.error);
    const auto ladder = geometric(0.8, 2.0, 16);
    const CrossingEstimate holes = exact_crossing(ladder, ladder, [&](double t, int L) {
        return L == 8 && (t == ladder[3] || t == ladder[14]) ? NAN : exact_binder(t, L);
    });
    CHECK(holes.temperature.value == doctest::Approx(critical).epsilon(2e-3));
}

TEST_CASE("curves that no wide cubic fits: the window shrinks, and the root stays beside the sign change") {
    for (const int n : {12, 24, 48}) {
        const auto ladder = geometric(0.8, 1.5, n);
        // D = steep(8) - steep(4) has its root at the critical temperature, with shoulders on either side
        const CrossingEstimate found = exact_crossing(ladder, ladder, steep, 1e-3);
        CAPTURE(n);
        CHECK(std::abs(found.temperature.value - critical) < 2.5 * found.temperature.error);
        CHECK(found.temperature.error < 0.02);
        CHECK(found.chi2 <= 2.0 * found.dof);
        CHECK(found.highest - found.lowest < 0.3);
        const auto above = std::upper_bound(ladder.begin(), ladder.end(), critical);
        CHECK(found.temperature.value > *(above - 2));
        CHECK(found.temperature.value < *(above + 1));
    }
}

TEST_CASE("the sign change is the best split, also where curves cross back in the paramagnet") {
    CHECK(last_below({7.8, 3.0, -3.2, -2.9}) == 1);
    CHECK(last_below({7.8, 3.0, -3.2, -2.9, 2.0, 3.0, 4.0, 3.0}) == 1);
    CHECK(last_below({7.8, 3.0, -3.2, -2.9, 2.0, 3.0, 4.0, 3.0, -0.1, -0.3}) == 1);
    CHECK(last_below({5.0, -0.4, 0.3, 4.0, -0.2, 0.1, -5.0, -6.0}) == 3);
    CHECK(last_below({1000.0, -2.0, 3.0, -1000.0, -5.0}) == 2);  // sizes beyond 5 sigma say no more
    CHECK(last_below({-7.8, -3.0, 3.2, 2.9}) == -1);
    CHECK(last_below({0.4, 0.5, -0.3, -0.6}) == -1);  // neither side is clear
    CHECK(last_below({1.9, 1.9, -3.0, -4.0}) == -1);
    CHECK(last_below({3.0, 2.1, -1.9, -1.9}) == -1);
    CHECK(last_below({2.1, 0.1, -0.1, -2.1}) == 1);
    CHECK(last_below({}) == -1);
    std::mt19937_64 generator(7);
    const auto back = [](double t, int L) {
        return steep(t, L) + (L == 8 ? 0.02 * std::max(0.0, t - 1.35) : 0.0);
    };
    const auto ladder = geometric(0.9, 2.0, 24);
    const CrossingEstimate found = crossing(curve_of(4, ladder, back, 1e-3, 0.1, generator),
                                            curve_of(8, ladder, back, 1e-3, 0.1, generator));
    CHECK(found.temperature.value == doctest::Approx(critical).epsilon(0.01));
}

TEST_CASE("the noise of the paramagnet does not cross, whatever its signs") {
    std::mt19937_64 generator(11);
    std::normal_distribution<double> normal;
    const auto ladder = geometric(300.0, 400.0, 12);
    const auto noise = [&](double, int L) { return std::pow(L, -3.0) + 1e-3 * normal(generator); };
    int found = 0, changes = 0;
    for (int i = 0; i < 400; ++i) {
        ResampledCurve small = curve_of(4, ladder, noise, 1e-3, 1.0, generator),
                       large = curve_of(6, ladder, noise, 1e-3, 1.0, generator);
        small.at_infinity = 1.0 / 64.0;
        large.at_infinity = 1.0 / 216.0;
        const CrossingEstimate estimate = crossing(small, large);
        found += !std::isnan(estimate.temperature.value);
        changes += estimate.note.find("infinite temperature") != std::string::npos;
    }
    CHECK(found == 0);
    CHECK(changes + found < 400);
    const auto ordered = [](double t, int L) { return exact_binder(t, L); };
    const auto at_transition = geometric(0.8, 2.0, 16);
    CHECK(crossing(curve_of(4, at_transition, ordered, 1e-3, 0.1, generator),
                   curve_of(8, at_transition, ordered, 1e-3, 0.1, generator))
              .temperature.value == doctest::Approx(critical).epsilon(0.01));
}

TEST_CASE("crossing errors cover the truth as often as they should") {
    // the scatter of single realizations, and its part that is not common to temperatures: correlations 0.9,
    // 0.99
    for (const auto& [realizations, scatter, own] :
         {std::tuple{500, 0.5, 1.0}, std::tuple{150, 0.4, 1.0}, std::tuple{500, 0.5, 0.3}}) {
        std::mt19937_64 generator(31);
        int found = 0, inside_t = 0, inside_value = 0;
        double squares = 0.0, error = 0.0, low = 0.0, tested = 0.0;
        const auto ladder = geometric(0.8, 2.0, 16);
        const int repeats = 400;
        for (int i = 0; i < repeats; ++i) {
            const auto small = sample_of(4, ladder, realizations, scatter, own, generator);
            const auto large = sample_of(8, ladder, realizations, scatter, own, generator);
            const CrossingEstimate estimate = binder_crossing(small, large);
            if (std::isnan(estimate.temperature.error)) continue;
            ++found;
            squares += std::pow(estimate.temperature.value - critical, 2);
            error += estimate.temperature.error;
            inside_t += std::abs(estimate.temperature.value - critical) < estimate.temperature.error;
            inside_value += std::abs(estimate.value.value - exact_binder(critical, 4)) < estimate.value.error;
            tested += estimate.dof > 0;
            low += estimate.p < 0.1;
        }
        CAPTURE(own);
        MESSAGE("quoted / true ", error / found / std::sqrt(squares / found), ", inside ", inside_t / 400.0,
                " ", inside_value / 400.0, ", found ", found, ", with a test ", tested, ", p < 0.1: ", low);
        CHECK(found > 0.95 * repeats);  // of few realizations some do not fall below by 2 sigma
        // the quoted error is the true scatter
        CHECK(error / found == doctest::Approx(std::sqrt(squares / found)).epsilon(0.1));
        // 68.3% expected; 400 repeats spread 2.3%
        CHECK(inside_t == doctest::Approx(0.683 * found).epsilon(0.1));
        CHECK(inside_value == doctest::Approx(0.683 * found).epsilon(0.1));
    }
}

TEST_CASE("realizations in common to two sizes count once") {
    std::mt19937_64 generator(41);
    const auto ladder = geometric(0.8, 2.0, 16);
    DisorderSample small = sample_of(4, ladder, 400, 0.2, 1.0, generator), large = small;
    large.L = 8;  // the same numbers times a function of temperature: all their noise cancels in the crossing
    std::vector<double>& q4 = large.values[static_cast<int>(Observable::q4)];
    for (std::size_t i = 0; i < q4.size(); ++i) {
        const double t = ladder[i % ladder.size()];
        q4[i] *= u4_of(t, 8) / u4_of(t, 4);
    }
    const double together = binder_crossing(small, large).temperature.error;
    for (std::int64_t r = 0; r < 400; ++r) large.number.push_back(r + 57);  // as if they were others
    const double apart = binder_crossing(small, large).temperature.error;
    CHECK(together < 0.05 * apart);
}

TEST_CASE("crossings of all pairs, in order") {
    std::mt19937_64 generator(37);
    const auto ladder = geometric(0.8, 2.0, 16);
    std::vector<DisorderSample> samples;
    for (int L : {4, 6, 8}) samples.push_back(sample_of(L, ladder, 300, 0.2, 1.0, generator));
    const auto all = crossings(samples, Average::binder);
    REQUIRE(all.size() == 3);
    CHECK(all[1].L1 == 4);
    CHECK(all[1].L2 == 8);
    for (const auto& estimate : all)
        CHECK(std::abs(estimate.temperature.value - critical) < 4.0 * estimate.temperature.error);
    const auto alone = binder_crossing(samples[0], samples[2]);
    CHECK(alone.temperature.value == all[1].temperature.value);
    CHECK(alone.temperature.error == all[1].temperature.error);
}

TEST_CASE("noise that packs share enters the error of a crossing") {
    std::mt19937_64 generator(43);
    const auto ladder = geometric(0.8, 2.0, 16);
    ResampledCurve small = curve_of(4, ladder, exact_binder, 0.003, 0.3, generator);
    ResampledCurve large = curve_of(8, ladder, exact_binder, 0.003, 0.3, generator);
    const double alone = crossing(small, large).temperature.error;
    large.shared_error.assign(ladder.size(), 0.003);
    const double shared = crossing(small, large).temperature.error;
    CHECK(shared > 1.02 * alone);
    CHECK(shared < 1.6 * alone);
    large.shared_error[5] = NAN;
    const CrossingEstimate unknown = crossing(small, large);
    CHECK(std::isfinite(unknown.temperature.value));
    CHECK(std::isnan(unknown.temperature.error));
}
