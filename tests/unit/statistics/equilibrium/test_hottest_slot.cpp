#include "statistics/equilibrium/hottest_slot.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace psflip;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// 70 realizations of L = 10, whose overlaps S / N at 1, 2, 4, 8 sweeps are those given, in all replicas
/// alike.
RunSums with_overlaps(const std::vector<double>& q, int replicas = 2) {
    RunSums run;
    run.L = 10;
    run.replicas = replicas;
    run.temperatures = 3;
    run.realizations = 70;
    run.run_last = 160;
    run.hottest.sweeps = {1, 2, 4, 8};
    for (const double value : q)
        for (int i = 0; i < replicas * 70; ++i) run.hottest.sums.push_back(std::llround(1000.0 * value));
    return run;
}

/// Another overlap of one lattice at all times.
void put(RunSums& run, int replica, int realization, double q) {
    for (int k = 0; k < 4; ++k)
        run.hottest.sums[(k * run.replicas + replica) * 70 + realization] = std::llround(1000.0 * q);
}

const std::vector<double> none(70, 0.0);

}  // namespace

TEST_CASE("means over replicas of the overlap and its square") {
    RunSums run = with_overlaps({0.8, 0.6, 0.4, 0.2});
    put(run, 1, 5, -0.6);
    const HottestMemory memory = hottest_memory(run, none.data(), 32);
    CHECK(memory.correlation[5] == doctest::Approx(0.1));
    CHECK(memory.square[5] == doctest::Approx(0.5));
    CHECK(memory.correlation[2 * 70 + 6] == doctest::Approx(0.4));
    CHECK(memory.square[2 * 70 + 6] == doctest::Approx(0.16));
}

TEST_CASE("the time is where the excess over the overlap of replicas is a tenth, in log t between records") {
    // m = 0.49, 0.25, 0.16, 0.04: 0.1 at half of the way from log 4 to log 8
    const RunSums run = with_overlaps({0.7, 0.5, 0.4, 0.2});
    const HottestMemory memory = hottest_memory(run, none.data(), 32);
    for (const double time : memory.time) CHECK(time == doctest::Approx(4.0 * std::sqrt(2.0)));
    // q^2 = 0.2: m = 0.3625, 0.0625
    const std::vector<double> q2(70, 0.2);
    const double between = std::pow(2.0, (0.3625 - 0.1) / 0.3);
    CHECK(hottest_memory(run, q2.data(), 32).time[0] == doctest::Approx(between));
    // q^2 = 0.45: m = 0.0727 at the first record
    const std::vector<double> high(70, 0.45);
    CHECK(hottest_memory(run, high.data(), 32).time[0] == 1.0);
}

TEST_CASE("valleys that replicas do not leave are not forgotten, however lattices turn over") {
    RunSums run = with_overlaps({0.8, 0.8, 0.8, 0.8});
    for (int r = 0; r < 70; r += 2) put(run, 0, r, -0.8);
    CHECK(hottest_memory(run, none.data(), 32).time == std::vector<double>(70, never));
    const std::vector<double> same(70, 0.64);  // both replicas are always in the same valley
    CHECK(hottest_memory(run, same.data(), 32).time == std::vector<double>(70, 1.0));
    const std::vector<double> frozen(70, 1.0);
    CHECK(hottest_memory(with_overlaps({1.0, 1.0, 1.0, 1.0}), frozen.data(), 32).time[0] == 1.0);
}

TEST_CASE("one stuck realization is found in a group that forgets, and no other suffers") {
    RunSums run = with_overlaps({0.5, 0.3, 0.0, 0.0});
    put(run, 0, 40, 0.8);
    put(run, 1, 40, 0.7);
    const HottestMemory memory = hottest_memory(run, none.data(), 32);
    CHECK(memory.time[40] == never);
    for (int r = 0; r < 70; ++r)
        if (r != 40) CHECK(memory.time[r] < 4.0);
    put(run, 1, 40, 0.1);  // m = 0.325
    CHECK(hottest_memory(run, none.data(), 32).time[40] < 4.0);
}

TEST_CASE("groups are the realizations that share random numbers, 32 at least") {
    RunSums run = with_overlaps({0.5, 0.3, 0.0, 0.0});
    for (int r = 0; r < 32; ++r)
        for (int a = 0; a < 2; ++a) put(run, a, r, 0.4);  // m = 0.16, less than clearly_less
    for (const int share : {1, 32}) {
        const HottestMemory memory = hottest_memory(run, none.data(), share);
        CHECK(memory.time[31] == never);
        CHECK(memory.time[32] < 4.0);
    }
    const HottestMemory together = hottest_memory(run, none.data(), 64);
    CHECK(together.time[0] == together.time[63]);
    CHECK(together.time[63] < never);
    CHECK(together.time[64] < together.time[63]);
}

TEST_CASE("with one replica the correlation itself must fall to a tenth") {
    const HottestMemory memory = hottest_memory(with_overlaps({0.7, 0.5, 0.2, 0.0}, 1), nullptr, 32);
    CHECK(memory.time[0] == doctest::Approx(4.0 * std::sqrt(2.0)));
    RunSums run = with_overlaps({0.4, 0.0, 0.0, 0.0}, 1);
    put(run, 0, 3, 0.72);
    put(run, 0, 4, 0.68);
    const HottestMemory stuck = hottest_memory(run, nullptr, 32);
    CHECK(stuck.time[3] == never);
    CHECK(stuck.time[4] < 4.0);
}

TEST_CASE("without two-time overlaps there is no verdict on it") {
    RunSums run = with_overlaps({0.5, 0.3, 0.0, 0.0});
    run.hottest = {};
    const HottestMemory memory = hottest_memory(run, none.data(), 32);
    CHECK(memory.sweeps.empty());
    CHECK(memory.time.empty());
}

TEST_CASE("the reference is q^2 of replicas, and m^2 of a ferromagnet with one temperature") {
    const Measured glass{.overlaps = true}, ferromagnet{.overlaps = false};
    CHECK(hottest_reference(glass, 2, 1) == Observable("q2"));
    CHECK(hottest_reference(glass, 2, 24) == Observable("q2"));
    CHECK_FALSE(hottest_reference(glass, 1, 1).has_value());
    CHECK(hottest_reference(ferromagnet, 1, 1) == Observable("m2"));
    CHECK_FALSE(hottest_reference(ferromagnet, 2, 2).has_value());
}

TEST_CASE("the warning of a hottest temperature that keeps its spins has a remedy that helps") {
    struct Case {
        double temperature;
        int dimension;
        Update update;
        const char *kind, *remedy;
    };
    const Case cases[] = {
        {0.8, 3, Update::metropolis, "hottest", "raise temperatures.max"},
        {11.0, 3, Update::metropolis, "hottest", "raise temperatures.max"},
        {1000.0, 3, Update::metropolis, "metropolis", "lower temperatures.max to 12 or less"},
        {9.0, 2, Update::metropolis, "metropolis", "lower temperatures.max to 8 or less"},
        {1000.0, 3, Update::heat_bath, "hottest", "raise temperatures.max"}};
    for (const Case& c : cases) {
        CAPTURE(c.temperature);
        HottestCurve curve;
        curve.temperature = c.temperature;
        curve.temperatures = 24;
        curve.cold = 9;
        const auto [kind, told] = hottest_warning(curve, 32, {.dimension = c.dimension, .update = c.update});
        CHECK(kind == c.kind);
        CHECK(told.starts_with("in 9 of 32 realizations the hottest temperature"));
        CHECK(told.find(c.remedy) != std::string::npos);
        curve.cold = 0;
        CHECK(hottest_warning(curve, 32, {}).empty());
    }
}

TEST_CASE("the warning of one temperature says what its start keeps, and takes no ladder for granted") {
    HottestCurve curve;
    curve.temperature = 0.6;
    curve.temperatures = 1;
    curve.cold = 9;
    curve.sweeps = {1, 2};
    curve.memory = {0.9, 0.8};
    curve.reference = Observable("q2");
    CHECK(hottest_warning(curve, 32, {}).kind == "one_temperature");
    CHECK(hottest_warning(curve, 32, {})
              .text.starts_with(
                  "in 9 of 32 realizations the spins do not forget where the run ended (80% of the "
                  "memory of all realizations is left after 2 sweeps)"));
    curve.reference = Observable("m2");
    const std::string up = hottest_warning(curve, 32, {}).text;
    CHECK(up.find("a start with all spins up does not come down to the run (80% of the excess of m^2") !=
          std::string::npos);
    CHECK(up.find("take several temperatures") != std::string::npos);
}
