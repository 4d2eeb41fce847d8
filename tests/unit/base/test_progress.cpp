#include "base/progress.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace psflip;

TEST_CASE("progress modes are auto, on and off") {
    CHECK(progress_mode("auto") == ProgressMode::automatic);
    CHECK(progress_mode("on") == ProgressMode::on);
    CHECK(progress_mode("off") == ProgressMode::off);
    CHECK_THROWS_WITH_AS(progress_mode("yes"), "--progress 'yes' is unknown; use auto, on or off",
                         InputError);
}

TEST_CASE("rates count only the sweeps of this call") {
    // 300 of 1000 sweeps are done, 200 of them in these 4 seconds, with a million flips each
    const ProgressNumbers numbers{300, 1000, 200, 4.0, 1e6};
    CHECK(numbers.sweeps_per_second() == doctest::Approx(50.0));
    CHECK(numbers.picoseconds_per_flip() == doctest::Approx(20000.0));
    CHECK(numbers.seconds_left() == doctest::Approx(14.0));
    CHECK(progress_text(numbers) == "300 of 1000 sweeps (30.0%), 50 sweeps/s, 20000 ps/flip, 0:00:14 left");
}

TEST_CASE("nothing is said about rates before the first sweep, nor about time left after the last") {
    CHECK(progress_text({5, 10, 0, 1.0, 100.0}) == "5 of 10 sweeps (50.0%)");
    CHECK(ProgressNumbers{5, 10, 0, 1.0, 100.0}.seconds_left() < 0.0);
    CHECK(progress_text({10, 10, 10, 5.0, 1e12}) == "10 of 10 sweeps (100.0%), 2 sweeps/s, 0.5 ps/flip");
    CHECK(progress_text({0, 0, 0, 0.0, 1.0}) == "0 of 0 sweeps (100.0%)");
}

TEST_CASE("clock times") {
    CHECK(clock_text(0.0) == "0:00:00");
    CHECK(clock_text(59.6) == "0:01:00");
    CHECK(clock_text(3725.0) == "1:02:05");
    CHECK(clock_text(360000.0) == "100:00:00");
}

TEST_CASE("the bar fits the terminal") {
    const ProgressNumbers numbers{300, 1000, 200, 4.0, 1e6};
    for (int width = 1; width < 200; ++width)
        CHECK(static_cast<int>(progress_bar(numbers, width).size()) < std::max(2, width));
    CHECK(progress_bar(numbers, 120).substr(0, 33) == "[=========>                    ] ");
    CHECK(progress_bar({0, 10, 0, 0.0, 1.0}, 60).substr(0, 3) == "[> ");
    CHECK(progress_bar({10, 10, 0, 0.0, 1.0}, 60).find('>') == std::string::npos);
}
