#include "run/schedule.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace psflip;

TEST_CASE("measurements fall on counts since run_start") {
    const Schedule s{105, 205, 10, 105, 20, 0};
    std::vector<std::int64_t> measurements;
    for (std::int64_t done = 100; done <= 205; ++done)
        if (s.measurement_at(done)) measurements.push_back(done);
    CHECK(measurements == std::vector<std::int64_t>{125, 145, 165, 185, 205});
    CHECK(s.measurements() == 5);
}

TEST_CASE("nothing happens at the start itself: that belonged to the call before") {
    const Schedule s{100, 200, 10, 0, 50, 0};
    CHECK_FALSE(s.measurement_at(100));
    CHECK(s.measurement_at(200));
    CHECK_FALSE(s.measurement_at(250));
}

TEST_CASE("the next measurement, or the end") {
    const Schedule s{0, 103, 10, 5, 30, 0};
    std::vector<std::int64_t> counts;
    for (std::int64_t done = 5; done < 103; counts.push_back(done)) done = s.next_measurement(done);
    CHECK(counts == std::vector<std::int64_t>{35, 65, 95, 103});
    CHECK(Schedule{0, 50, 10, 0, 0, 0}.next_measurement(0) == 50);
}

TEST_CASE("snapshots are equally spaced measurements") {
    for (const std::int64_t snapshots : {0, 1, 2, 3, 5, 7, 10}) {
        const Schedule s{40, 140, 10, 0, 10, snapshots};
        std::vector<std::int64_t> taken;
        for (std::int64_t done = 40; done <= 140; ++done)
            if (s.snapshot_at(done)) taken.push_back(done);
        CHECK(static_cast<std::int64_t>(taken.size()) == snapshots);
        CHECK(s.snapshots_until(140) == snapshots);
        CHECK(s.snapshots_until(40) == 0);
        for (std::size_t i = 0; i < taken.size(); ++i)
            CHECK(taken[i] == 40 + 10 * (10 / snapshots) * static_cast<std::int64_t>(i + 1));
    }
}

TEST_CASE("the pacer finds the number of sweeps for a quarter of a second") {
    for (const double seconds_per_sweep : {1e-7, 1e-5, 1e-3, 0.1, 3.0}) {
        Pacer pacer(0.25);
        CHECK(pacer.budget() == 1);
        double longest = 0.0;
        for (int look = 0; look < 40; ++look) {
            const double seconds = seconds_per_sweep * static_cast<double>(pacer.budget());
            longest = std::max(longest, seconds);
            pacer.looked(pacer.budget(), seconds);
        }
        CHECK(static_cast<double>(pacer.budget()) * seconds_per_sweep <=
              std::max(0.2501, seconds_per_sweep * 1.0001));
        CHECK(static_cast<double>(pacer.budget()) * seconds_per_sweep >= std::min(0.15, seconds_per_sweep));
        CHECK(longest <= std::max(0.26, seconds_per_sweep * 1.0001));
    }
}

TEST_CASE("a slow stretch shortens the next one at once; a clock that stands still does no harm") {
    Pacer pacer(0.25);
    for (int i = 0; i < 10; ++i) pacer.looked(pacer.budget(), 0.0);
    CHECK(pacer.budget() == 1048576);
    pacer.looked(pacer.budget(), 25.0);
    CHECK(pacer.budget() == 10485);
    for (int i = 0; i < 100; ++i) pacer.looked(pacer.budget(), 0.0);
    CHECK(pacer.budget() > 0);
}

TEST_CASE("times one by one take the place of a period") {
    Schedule schedule;
    schedule.start = 104;
    schedule.run_start = 100;
    schedule.end = 116;
    schedule.times = {2, 4, 6, 10, 16};
    schedule.waiting = {0, 4, 10};
    CHECK(schedule.measurements() == 3);
    std::vector<std::int64_t> measured, kept;
    for (std::int64_t s = 100; s <= 120; ++s) {
        if (schedule.measurement_at(s)) measured.push_back(s);
        if (schedule.snapshot_at(s)) kept.push_back(s);
    }
    CHECK(measured == std::vector<std::int64_t>{106, 110, 116});
    CHECK(kept == std::vector<std::int64_t>{110});
    CHECK(schedule.next_measurement(104) == 106);
    CHECK(schedule.next_measurement(106) == 110);
    CHECK(schedule.next_measurement(110) == 116);
    CHECK(schedule.next_measurement(116) == 116);
}
