#include "run/relaxation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "config/config.hpp"

using namespace psflip;

using Times = std::vector<std::int64_t>;

namespace {

RelaxSection relax_until(std::int64_t last, int per_decade, Times waiting = {}) {
    RelaxSection relax = default_config().relax;
    relax.last = last;
    relax.per_decade = per_decade;
    relax.waiting = std::move(waiting);
    return relax;
}

}  // namespace

TEST_CASE("times on a logarithmic grid, even where they must be") {
    RelaxSection relax = relax_until(1000, 3);
    relax.first = 1;
    CHECK(relax_times(relax, false) == Times{1, 2, 5, 10, 22, 46, 100, 215, 464, 1000});
    relax.first = 2;
    CHECK(relax_times(relax, true) == Times{2, 4, 10, 20, 44, 92, 200, 430, 928});
}

TEST_CASE("waiting times have the grid behind them") {
    const RelaxSection relax = relax_until(60, 1, {0, 16, 50, 100});
    CHECK(relax_times(relax, true) == Times{2, 16, 18, 20, 36, 50, 52});
}

TEST_CASE("equal steps instead of a logarithmic grid, and waiting times") {
    RelaxSection relax = relax_until(50, 10, {0, 12, 20, 60});
    relax.measure_every = 10;
    CHECK(relax_times(relax, true) == Times{10, 12, 20, 30, 40, 50});
}

TEST_CASE("a longer relaxation has the times of a shorter one first") {
    RelaxSection relax = relax_until(65536, 7, {0, 100, 1024});
    for (const std::int64_t last : {2, 99, 100, 1023, 1024, 1026, 5000}) {
        relax.last = last;
        const Times few = relax_times(relax, true);
        relax.last = 100000;
        const Times many = relax_times(relax, true);
        REQUIRE(few.size() < many.size());
        CHECK(std::equal(few.begin(), few.end(), many.begin()));
        CHECK(many[few.size()] > last);
    }
}

TEST_CASE("the next time is the first that a longer relaxation has") {
    RelaxSection relax = relax_until(400, 1, {0, 100});
    CHECK(next_relax_time(relax, true, 0) == 2);
    CHECK(next_relax_time(relax, true, 2) == 20);
    CHECK(next_relax_time(relax, true, 20) == 100);
    CHECK(next_relax_time(relax, true, 300) == 2000);
    relax.measure_every = 30;
    CHECK(next_relax_time(relax, true, 90) == 100);
    CHECK(next_relax_time(relax, true, 390) == 420);
}
