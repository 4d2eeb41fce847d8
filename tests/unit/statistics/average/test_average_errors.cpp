#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "statistics/average/disorder_average.hpp"

using namespace psflip;

namespace {

/// Returns a glass of L = 4 at one temperature, whose averages are random numbers around 0.5. Averages of a
/// pack have a common part.
DisorderSample packed_sample(std::int64_t realizations, int share, double common) {
    DisorderSample sample;
    sample.L = 4;
    sample.temperature = {2.0};
    sample.realizations = realizations;
    sample.share = share;
    sample.measured = measured_of({}, false);
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal(0.0, 0.01);
    for (int o = 0; o < n_observables; ++o)
        for (std::int64_t r = 0; r < realizations; ++r) sample.values[o].push_back(0.5 + normal(generator));
    double pack = 0.0;
    for (std::int64_t r = 0; r < realizations; ++r) {
        if (r % share == 0) pack = common * normal(generator);
        sample.values[Observable("q2_dbeta")][r] += pack;
    }
    for (const ObservableInfo& row : observable_table)
        if ((Observable(row)->shared == SharedNoise::known)) sample.shared[int(Observable(row))] = {0.0};
    return sample;
}

Estimate average_of(const DisorderSample& sample, Average average) {
    return disorder_average(sample, average).front();
}

}  // namespace

TEST_CASE("averages of two realizations by hand") {
    DisorderSample sample{4, {1.0}, 2, {}};
    const auto set = [&](Observable o, double a, double b) { sample.values[static_cast<int>(o)] = {a, b}; };
    set("energy", -1.6, -1.8);
    set("q2", 0.4, 0.6);
    set("q4", 0.3, 0.5);
    set("kmin", 0.05, 0.15);
    const auto at = [&](Average average) { return disorder_average(sample, average)[0]; };
    CHECK(at("energy").value == doctest::Approx(-1.7));
    CHECK(at("energy").error == doctest::Approx(0.1));
    CHECK(at("chi_sg").value == doctest::Approx(32.0));
    CHECK(at("chi_sg").error == doctest::Approx(6.4));
    CHECK(at("binder").value == doctest::Approx(0.5 * (3.0 - 0.4 / 0.25)));
    // leave-one-out: q4/q2^2 = 0.5/0.36 and 0.3/0.16; error is half their difference, halved again
    CHECK(at("binder").error == doctest::Approx(0.25 * (0.3 / 0.16 - 0.5 / 0.36)));
    CHECK(at("xi_over_L").value == doctest::Approx(2.0 / (8.0 * std::sin(M_PI / 4.0))));
    CHECK(std::isnan(xi_over_L_of(0.1, 0.2, 4)));
    CHECK(std::isnan(xi_over_L_of(-0.2, -0.1, 4)));
    CHECK(std::isnan(xi_over_L_of(1.0, 1e-32, 4)));  // all spins up
    const double one_down = 4.0 / std::pow(65536.0, 4), m = 1.0 - 2.0 / std::pow(65536.0, 2);
    CHECK(xi_over_L_of(m * m, one_down, 65536) == doctest::Approx(1.0 / (2.0 * M_PI * std::sqrt(one_down))));
    const auto guerra = [](double q2, double product, double q4) {
        return form::guerra.function(std::vector{q2, product, q4}, {4, 3, 1, 1.0});
    };
    CHECK(guerra(0.5, 0.3, 0.35) == doctest::Approx(0.5));
    CHECK(std::isnan(guerra(1.0 - 1.1e-16, 1.0, 1.0 - 1.1e-16)));  // all spins up
}

TEST_CASE("errors of one realization are thermal, with the covariance of both means of a function") {
    DisorderSample sample = packed_sample(1, 1, 0.0);
    sample.values[Observable("q2")] = {0.5};
    sample.values[Observable("q4")] = {0.4};
    CHECK(std::isnan(average_of(sample, "q2").error));
    sample.thermal_error[Observable("q2")] = {0.02};
    sample.thermal_error[Observable("q4")] = {0.03};
    CHECK(average_of(sample, "q2").error == doctest::Approx(0.02));
    CHECK(average_of(sample, "chi_sg").error == doctest::Approx(64.0 * 0.02));
    CHECK(std::isnan(average_of(sample, "binder").error));
    sample.thermal_covariance[0] = {0.0005};
    // binder = (3 - q4 / q2^2) / 2: derivatives q4 / q2^3 = 3.2 and -1 / (2 q2^2) = -2
    const double variance = 3.2 * 3.2 * 0.0004 - 2.0 * 3.2 * 2.0 * 0.0005 + 4.0 * 0.0009;
    CHECK(average_of(sample, "binder").error == doctest::Approx(std::sqrt(variance)));
    CHECK(average_of(sample, "binder").value == doctest::Approx(0.5 * (3.0 - 1.6)));
    CHECK(std::isnan(average_of(sample, "binder_dbeta").error));
}

TEST_CASE("noise of packs that is not known: the jackknife over packs, or no error") {
    constexpr int share = 32;
    const double alone = 0.01 / std::sqrt(20.0 * share);
    for (const std::int64_t packs : {5, 20}) {
        CAPTURE(packs);
        DisorderSample sample = packed_sample(packs * share, share, 1.0);
        const double jackknife = average_of(packed_sample(packs * share, 1, 0.0), "q2_dbeta").error;
        // With few packs: where sharing adds little to energy and q^2, it is taken to add little here.
        CHECK((average_of(sample, "q2_dbeta").error < 2.0 * jackknife) == (packs < 10));
        CHECK(withheld_errors(sample, disorder_averages(sample)).empty());
        sample.shared[Observable("energy")] = {std::pow(0.01, 2) * static_cast<double>(sample.realizations)};
        const Estimate found = average_of(sample, "q2_dbeta");
        if (packs < 10) {
            CHECK(std::isnan(found.error));
            const auto withheld = withheld_errors(sample, disorder_averages(sample));
            CHECK(std::ranges::find(withheld, Average("q2_dbeta")) != withheld.end());
        } else {
            // the variance of 20 packs of 32 with a part of the size of one realization in common: 33 times
            // larger
            CHECK(found.error / alone > 0.6 * std::sqrt(33.0));
            CHECK(found.error / alone < 1.4 * std::sqrt(33.0));
        }
    }
}

TEST_CASE("the connected susceptibility leaves out how realizations differ") {
    DisorderSample sample = packed_sample(2, 1, 0.0);
    sample.measured = measured_of({.kind = ModelKind::ferromagnet}, false);
    sample.values[Observable("m_abs")] = {0.2, 0.8};
    sample.values[Observable("m_abs_product")] = {0.04, 0.64};
    sample.values[Observable("m2")] = {0.05, 0.65};
    CHECK(average_of(sample, "chi_m").value == doctest::Approx(32.0 * (0.35 - 0.25)));
    CHECK(average_of(sample, "chi_m_connected").value == doctest::Approx(32.0 * 0.01));
}
