#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/nearest.hpp"

using namespace psflip;

TEST_CASE("the nearest of some names, and none that is far") {
    const std::vector<std::string> names = {"threads", "device", "state-out", "state"};
    CHECK(distance("kitten", "sitting") == 3);
    CHECK(distance("", "abc") == 3);
    CHECK(nearest_name("thread", names) == "threads");
    CHECK(nearest_name("sate", names) == "state");
    CHECK(nearest_name("stateout", names) == "state-out");
    CHECK(nearest_name("backend", names).empty());
    CHECK(nearest_name("x", {}).empty());
}
