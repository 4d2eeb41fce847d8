#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "statistics/average/disorder_average.hpp"

using namespace psflip;

namespace {

DisorderSample made(int L, std::vector<std::int64_t> number) {
    std::mt19937 random(L);
    std::uniform_real_distribution<double> uniform(0.1, 0.3);
    DisorderSample sample;
    sample.L = L;
    sample.temperature = {1.0, 1.5};
    sample.realizations = std::ssize(number);
    sample.number = std::move(number);
    for (std::vector<double>& values : sample.values)
        for (std::int64_t i = 0; i < 2 * sample.realizations; ++i) values.push_back(uniform(random));
    const Observable squares[] = {"q2", "m2", "m2_improved", "ms2", "replicon"},
                     above_squares[] = {"q4", "q_link2"};
    for (const Observable o : squares)  // above kmin
        for (double& square : sample.values[o]) square += 0.3;
    for (const Observable o : above_squares)  // above the squares of the means
        for (double& square : sample.values[o]) square += 1.0;
    return sample;
}

/// Without the realizations of a group.
DisorderSample without(const DisorderSample& sample, int group) {
    DisorderSample rest;
    rest.L = sample.L;
    rest.temperature = sample.temperature;
    for (std::int64_t r = 0; r < sample.realizations; ++r) {
        if (sample.number[r] % jackknife_groups == group) continue;
        ++rest.realizations;
        for (int o = 0; o < n_observables; ++o)
            rest.values[o].insert(rest.values[o].end(), &sample.values[o][2 * r],
                                  &sample.values[o][2 * r] + 2);
    }
    return rest;
}

}  // namespace

TEST_CASE("every average of every size without the realizations of a group") {
    const std::vector<DisorderSample> samples = {made(4, {0, 5, 200, 207, 405, 599}), made(6, {5, 7, 9})};
    const std::vector<int> groups = {0, 5, 7, 9, 199};
    CHECK(groups_of(samples) == groups);
    for (const AverageInfo& row : average_table) {
        CAPTURE(row.name);
        for (const DisorderSample& sample : samples) {
            const std::vector<double> found = jackknife_samples(sample, Average(row), groups);
            REQUIRE(found.size() == 2 * groups.size());
            for (std::size_t g = 0; g < groups.size(); ++g) {
                const AverageCurve rest = disorder_average(without(sample, groups[g]), Average(row));
                for (int t = 0; t < 2; ++t)
                    CHECK(found[2 * g + t] == doctest::Approx(rest[t].value).epsilon(1e-13));
            }
        }
    }
}

TEST_CASE("one realization per group: the samples give the errors of the jackknife") {
    const DisorderSample made_of_ten = made(4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    for (const AverageInfo& row : average_table) {
        const Average average(row);
        if (average == "q2_spread" || average == "guerra") continue;  // without errors
        const std::vector<double> found = jackknife_samples(made_of_ten, average, groups_of({made_of_ten}));
        double mean = 0.0, squares = 0.0;
        for (int g = 0; g < 10; ++g) mean += found[2 * g + 1] / 10.0;
        for (int g = 0; g < 10; ++g) squares += std::pow(found[2 * g + 1] - mean, 2);
        CHECK(std::sqrt(0.9 * squares) ==
              doctest::Approx(disorder_average(made_of_ten, average)[1].error).epsilon(1e-10));
    }
}

TEST_CASE("few realizations give the spread of <q^2> without an error, many with one") {
    for (const std::int64_t count : {511, 512}) {
        std::vector<std::int64_t> numbers(count);
        std::iota(numbers.begin(), numbers.end(), 0);
        const DisorderSample sample = made(4, numbers);
        for (const Average average : {Average("q2_spread"), Average("guerra")}) {
            const Estimate estimate = disorder_average(sample, average)[1];
            CHECK(std::isfinite(estimate.value));
            CHECK(std::isnan(estimate.error) == (count < 512));
        }
        CHECK(withheld_errors(sample, disorder_averages(sample)).empty());
    }
}
