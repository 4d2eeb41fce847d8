#include "run/relax_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace psflip;

using Times = std::vector<std::int64_t>;

TEST_CASE("times on a logarithmic grid, even where they must be") {
    RelaxParameters relax{.first = 1, .last = 1000, .per_decade = 3, .even = false};
    CHECK(relax_times(relax) == Times{1, 2, 5, 10, 22, 46, 100, 215, 464, 1000});
    relax.first = 2;
    relax.even = true;
    CHECK(relax_times(relax) == Times{2, 4, 10, 20, 44, 92, 200, 430, 928});
}

TEST_CASE("waiting times have the grid behind them") {
    const RelaxParameters relax{.first = 2, .last = 60, .per_decade = 1, .waiting = {0, 16, 50, 100}};
    CHECK(relax_times(relax) == Times{2, 16, 18, 20, 36, 50, 52});
}

TEST_CASE("equal steps in the place of a logarithmic grid, and waiting times") {
    const RelaxParameters relax{.last = 50, .waiting = {0, 12, 20, 60}, .measure_every = 10};
    CHECK(relax_times(relax) == Times{10, 12, 20, 30, 40, 50});
}

TEST_CASE("a longer relaxation has the times of a shorter one first") {
    RelaxParameters relax{.first = 2, .per_decade = 7, .waiting = {0, 100, 1024}};
    for (const std::int64_t last : {2, 99, 100, 1023, 1024, 1026, 5000}) {
        relax.last = last;
        const Times few = relax_times(relax);
        relax.last = 100000;
        const Times many = relax_times(relax);
        REQUIRE(few.size() < many.size());
        CHECK(std::equal(few.begin(), few.end(), many.begin()));
        CHECK(many[few.size()] > last);
    }
}

TEST_CASE("the next time is the first that a longer relaxation has") {
    RelaxParameters relax{.first = 2, .last = 400, .per_decade = 1, .waiting = {0, 100}};
    CHECK(next_relax_time(relax, 0) == 2);
    CHECK(next_relax_time(relax, 2) == 20);
    CHECK(next_relax_time(relax, 20) == 100);
    CHECK(next_relax_time(relax, 300) == 2000);
    relax.measure_every = 30;
    CHECK(next_relax_time(relax, 90) == 100);
    CHECK(next_relax_time(relax, 390) == 420);
}
