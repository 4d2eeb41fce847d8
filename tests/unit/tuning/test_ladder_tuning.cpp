#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "tuning/ladder_tuning.hpp"

using namespace psflip;

namespace {

using Values = std::vector<double>;
using Law = std::function<double(double)>;

double total(const Values& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// int f from a to b, Simpson's rule.
double integral(const Law& f, double a, double b, int steps = 2000) {
    double sum = f(a) + f(b);
    for (int i = 1; i < steps; ++i) sum += (i % 2 ? 4.0 : 2.0) * f(a + (b - a) * i / steps);
    return sum * (b - a) / steps / 3.0;
}

/// Acceptances on a ladder where the energy is normal with the heat capacity C(T): sigma_E = sqrt(C) T, so
/// that sigma_E dbeta = sqrt(C) dT / T.
Values acceptances(const Values& temperatures, const Law& heat_capacity) {
    Values result;
    for (std::size_t i = 0; i + 1 < temperatures.size(); ++i)
        result.push_back(
            acceptance_of_distance(integral([&](double T) { return std::sqrt(heat_capacity(T)) / T; },
                                            temperatures[i], temperatures[i + 1])));
    return result;
}

Values linear_ladder(double min, double max, int count) {
    Values result;
    for (int i = 0; i < count; ++i) result.push_back(min + (max - min) * i / (count - 1));
    return result;
}

Values distances(const Values& acceptance) {
    return pair_distances(acceptance, Values(acceptance.size(), 1e9));
}

/// A walk between neighbouring slots with the probability D(T)/dT^2 per step: the flow between the ends is
/// 1 / sum of the resistances 1/p, and the labelled fraction falls in proportion to them.
struct Walk {
    Values cold_fraction{1.0};
    double flow = 0.0;
    Walk(const Values& temperatures, const Law& D) {
        Values resistance;
        for (std::size_t i = 0; i + 1 < temperatures.size(); ++i) {
            const double step = temperatures[i + 1] - temperatures[i];
            resistance.push_back(step * step / D(0.5 * (temperatures[i] + temperatures[i + 1])));
        }
        flow = 1.0 / total(resistance);
        for (const double r : resistance) cold_fraction.push_back(cold_fraction.back() - r * flow);
    }
};

}  // namespace

TEST_CASE("the acceptance law is the mean of min(1, exp(dbeta dE)) for normal energies") {
    for (const double distance : {0.1, 0.7, 1.68, 3.0, 6.0}) {
        // dbeta dE is normal with mean -d^2 and variance 2 d^2 for energies of equal width
        const double d2 = distance * distance;
        const auto mean = integral(
            [&](double x) {
                const double gauss = std::exp(-(x + d2) * (x + d2) / (4.0 * d2)) / std::sqrt(4.0 * M_PI * d2);
                return std::min(1.0, std::exp(x)) * gauss;
            },
            -d2 - 14.0 * distance, -d2 + 14.0 * distance, 200000);
        CHECK(acceptance_of_distance(distance) == doctest::Approx(mean).epsilon(1e-6));
        CHECK(distance_of_acceptance(acceptance_of_distance(distance)) == doctest::Approx(distance));
    }
    CHECK(distance_of_acceptance(1.0) == 0.0);
    CHECK(distance_of_acceptance(0.234) == doctest::Approx(1.683).epsilon(1e-3));
    CHECK_THROWS_AS(distance_of_acceptance(0.0), std::invalid_argument);
    CHECK_THROWS_AS(distance_of_acceptance(1.1), std::invalid_argument);
}

TEST_CASE("a pair that never or always exchanged gets the distance of half an event") {
    const Values d = pair_distances(Values{0.0, 1.0, 0.5}, Values{100.0, 100.0, 100.0});
    CHECK(acceptance_of_distance(d[0]) == doctest::Approx(0.005));
    CHECK(acceptance_of_distance(d[1]) == doctest::Approx(0.995));
    CHECK(acceptance_of_distance(d[2]) == doctest::Approx(0.5));
}

TEST_CASE("constant heat capacity: one step from any ladder gives the geometric ladder") {
    const double C = 57.0, min = 0.7, max = 2.3;
    const Values start = linear_ladder(min, max, 8);
    const Values d = distances(acceptances(start, [&](double) { return C; }));
    CHECK(total(d) == doctest::Approx(std::sqrt(C) * std::log(max / min)));
    const int count = count_for_acceptance(total(d), 0.3, 8);
    CHECK(acceptance_of_distance(total(d) / count) >= 0.3);
    CHECK(acceptance_of_distance(total(d) / (count - 4)) < 0.3);
    const Values ladder = ladder_of_equal_weights(start, d, count);
    REQUIRE(ladder.size() == static_cast<std::size_t>(count));
    CHECK(ladder.front() == min);
    CHECK(ladder.back() == max);
    for (int i = 0; i < count; ++i)
        CHECK(ladder[i] == doctest::Approx(min * std::pow(max / min, i / (count - 1.0))).epsilon(5e-5));
}

TEST_CASE("a peaked heat capacity: a few steps make all acceptances equal") {
    const Law peaked = [](double T) { return 20.0 + 400.0 / (1.0 + std::pow((T - 1.1) / 0.1, 2)); };
    Values ladder = linear_ladder(0.5, 2.0, 13);
    Values acceptance = acceptances(ladder, peaked);
    CHECK(*std::max_element(acceptance.begin(), acceptance.end()) >
          *std::min_element(acceptance.begin(), acceptance.end()) + 0.2);
    for (int step = 0; step < 3; ++step) {
        ladder = ladder_of_equal_weights(ladder, distances(acceptance), 13);
        acceptance = acceptances(ladder, peaked);
    }
    CHECK(*std::max_element(acceptance.begin(), acceptance.end()) <
          *std::min_element(acceptance.begin(), acceptance.end()) + 0.002);
}

TEST_CASE("inner temperatures have five digits, and a ladder too fine for them is refused") {
    for (const double T : ladder_of_equal_weights(Values{0.8, 1.3, 2.0}, Values{1.0, 1.7}, 9))
        CHECK(T == doctest::Approx(std::round(T * 1e5) / 1e5).epsilon(1e-14));
    CHECK_THROWS_AS(ladder_of_equal_weights(Values{1.0, 1.0001}, Values{1.0}, 20), InputError);
}

TEST_CASE("the number of temperatures is the pairs, up to a multiple of 4, kept unless off by half a pair") {
    const double pair = distance_of_acceptance(0.4);
    CHECK(count_for_acceptance(10.0 * pair, 0.4, 2) == 12);
    CHECK(count_for_acceptance(11.99 * pair, 0.4, 2) == 12);
    CHECK(count_for_acceptance(12.1 * pair, 0.4, 2) == 16);
    CHECK(count_for_acceptance(12.4 * pair, 0.4, 12) == 12);
    CHECK(count_for_acceptance(12.6 * pair, 0.4, 12) == 16);
    CHECK(count_for_acceptance(7.6 * pair, 0.4, 12) == 12);
    CHECK(count_for_acceptance(7.4 * pair, 0.4, 12) == 8);
    CHECK(count_for_acceptance(10.0 * pair, 0.4, 11) == 12);
    CHECK(count_for_acceptance(0.01 * pair, 0.4, 30) == 4);
    CHECK(count_for_acceptance(100.0 * pair, 0.4, 30) == 100);
}

TEST_CASE("feedback leads a walk with a bottleneck to the largest possible flow") {
    const Law D = [](double T) { return 1.0 / (1.0 + 60.0 * std::exp(-std::pow((T - 1.1) / 0.08, 2))); };
    Values ladder = linear_ladder(0.5, 2.0, 24);
    const double before = Walk(ladder, D).flow;
    for (int step = 0; step < 6; ++step) {
        const Walk walk(ladder, D);
        const Values measured = diffusivity(ladder, walk.cold_fraction, walk.flow);
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i)
            CHECK(measured[i] == doctest::Approx(D(0.5 * (ladder[i] + ladder[i + 1]))));
        ladder = ladder_of_equal_weights(ladder, feedback_weights(walk.cold_fraction), 24);
    }
    // min over ladders of sum dT^2/D is (int dT / sqrt D)^2 / pairs
    const double best =
        23.0 / std::pow(integral([&](double T) { return 1.0 / std::sqrt(D(T)); }, 0.5, 2.0), 2);
    CHECK(before < 0.6 * best);
    CHECK(Walk(ladder, D).flow > 0.98 * best);
    const Values fraction = Walk(ladder, D).cold_fraction;
    for (std::size_t i = 0; i < fraction.size(); ++i)
        CHECK(fraction[i] == doctest::Approx(1.0 - i / 23.0).epsilon(0.03));
}

TEST_CASE("feedback weights: noise that makes f rise is pooled, no pair goes without") {
    const Values even = feedback_weights(Values{1.0, 0.75, 0.5, 0.25, 0.0});
    for (const double weight : even) CHECK(weight == doctest::Approx(0.25));
    // 0.5, 0.7 -> 0.6, 0.6: the falls are 0.4, 0, 0.6, and 0 counts as 0.1/3
    const Values noisy = feedback_weights(Values{1.0, 0.5, 0.7, 0.0});
    const double sum = std::sqrt(0.4) + std::sqrt(0.1 / 3.0) + std::sqrt(0.6);
    CHECK(noisy[0] == doctest::Approx(std::sqrt(0.4) / sum));
    CHECK(noisy[1] == doctest::Approx(std::sqrt(0.1 / 3.0) / sum));
    CHECK(noisy[2] == doctest::Approx(std::sqrt(0.6) / sum));
    CHECK(std::isnan(diffusivity(Values{1.0, 1.1, 1.2}, Values{1.0, 1.0, 0.0}, 1.0)[0]));
}

TEST_CASE("round trips of independent exchanges") {
    // One pair: every accepted exchange ends a trip; it is tried at every second event.
    CHECK(independent_round_trips(Values{0.3}) == doctest::Approx(0.15));
    CHECK(independent_round_trips(Values{1.0, 1.0, 1.0}) == doctest::Approx(0.5));
    const Values acceptance{0.6, 0.2, 0.45, 0.7};
    std::mt19937_64 random(12345);
    std::uniform_real_distribution<double> uniform;
    std::vector<int> walker{0, 1, 2, 3, 4}, last_end(5, 0);
    const int events = 1'000'000;
    int trips = 0;
    for (int event = 0; event < events; ++event) {
        for (std::size_t pair = event % 2; pair < acceptance.size(); pair += 2)
            if (uniform(random) < acceptance[pair]) std::swap(walker[pair], walker[pair + 1]);
        trips += last_end[walker.front()] == 2;
        last_end[walker.front()] = 1;
        if (last_end[walker.back()] == 1) last_end[walker.back()] = 2;
    }
    CHECK(independent_round_trips(acceptance) == doctest::Approx(trips / double{events}).epsilon(0.02));
}

TEST_CASE("choices over one range: as many temperatures as fit, the effort least near 0.4") {
    const std::vector<LadderChoice> choices = ladder_choices(20.0);
    REQUIRE(choices.size() > 8);
    double best = 0.0, at = 0.0;
    for (const LadderChoice& choice : choices) {
        CHECK(choice.count % 4 == 0);
        CHECK(choice.acceptance >= 0.05);
        CHECK(choice.acceptance == doctest::Approx(acceptance_of_distance(20.0 / (choice.count - 1))));
        const double per_cost = choice.round_trips / choice.count;
        if (per_cost > best) best = per_cost, at = choice.acceptance;
    }
    CHECK(at == doctest::Approx(0.4).epsilon(0.1));
    CHECK(ladder_choices(40.0).back().count == 64);
    CHECK(ladder_choices(0.05).empty());
}
