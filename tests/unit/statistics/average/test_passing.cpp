#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "statistics/average/campaign.hpp"

using namespace psflip;

namespace {

/// Realizations 3 to 3 + n - 1 at two temperatures, without sharing.
SizeResults made(int n) {
    std::mt19937 random(n);
    std::uniform_real_distribution<double> uniform(0.1, 0.3);
    SizeResults size;
    size.sample.L = 4;
    size.sample.temperature = {1.0, 1.5};
    size.passing = size.sample;
    for (int r = 0; r < n; ++r) {
        size.sample.number.push_back(3 + r);
        for (std::vector<double>& values : size.sample.values)
            for (int t = 0; t < 2; ++t) values.push_back(uniform(random));
    }
    size.sample.realizations = n;
    size.equilibrated.assign(n, 1);
    size.passing.number = size.sample.number;
    size.passing.realizations = n;
    return size;
}

void fail(SizeResults& size, int place) {
    size.equilibrated[place] = 0;
    std::erase(size.passing.number, size.sample.number[place]);
    --size.passing.realizations;
}

}  // namespace

TEST_CASE("where all realizations pass, the averages are those over all") {
    const SizeResults size = made(6);
    const AverageTable all = disorder_averages(size.sample), passing = passing_averages(size);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    for (int a = 0; a < n_averages; ++a)
        for (int t = 0; t < 2; ++t) {
            CAPTURE(a);
            CHECK(same(passing[a][t].value, all[a][t].value));
            CHECK(same(passing[a][t].error, all[a][t].error));
        }
    for (const Average average : {Average("energy"), Average("q2"), Average("binder"), Average("chi_kmin")})
        CHECK(std::isfinite(all[average][0].error));
}

TEST_CASE("two of three pass: by hand") {
    SizeResults size = made(3);
    size.sample.values[Observable("q2")] = {0.4, 0.1, 0.9, 0.9, 0.6, 0.3};
    size.sample.values[Observable("q4")] = {0.3, 0.1, 0.9, 0.9, 0.5, 0.2};
    size.sample.values[Observable("kmin")] = {0.2, 0.05, 0.9, 0.9, 0.3, 0.15};
    fail(size, 1);
    size.passing.shared[Observable("kmin")] = {4e-4, 0.0};
    const AverageTable passing = passing_averages(size);
    const auto at = [&](Average average, int t) { return passing[average][t]; };
    CHECK(at("q2", 0).value == doctest::Approx(0.5));
    CHECK(at("q2", 1).error == doctest::Approx(0.1));
    CHECK(at("binder", 0).value == doctest::Approx(0.5 * (3.0 - 0.4 / 0.25)));
    CHECK(at("chi_kmin", 0).value == doctest::Approx(64 * 0.25));
    CHECK(at("chi_kmin", 0).error == doctest::Approx(64 * std::hypot(0.05, 0.01)));
    CHECK(at("chi_kmin", 1).error == doctest::Approx(64 * 0.05));
}

TEST_CASE("fewer than two that pass have no average") {
    SizeResults size = made(3);
    fail(size, 0);
    fail(size, 2);
    for (const AverageCurve& curve : passing_averages(size))
        for (const Estimate& estimate : curve) {
            CHECK(std::isnan(estimate.value));
            CHECK(std::isnan(estimate.error));
        }
}
