#include "config/physics_text.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace psflip;

TEST_CASE("the first line that differs is found") {
    CHECK_FALSE(first_difference("a: 1\nb: 2\n", "a: 1\nb: 2\n"));
    CHECK_FALSE(first_difference("", ""));
    CHECK_FALSE(first_difference("a: 1\nb: 2", "b: 2\na: 1\n"));
    const Difference value = first_difference("a: 1\nb: x: y\n", "a: 1\nb: z\n");
    CHECK(value.key == "b");
    CHECK(value.first == "x: y");
    CHECK(value.second == "z");
    CHECK(first_difference("a: 1\n", "").second == "(none)");
    CHECK(first_difference("", "c: 3\n").first == "(none)");
    CHECK(first_difference("a: 1\n", "a: 1\nc: 3\n").key == "c");
}

TEST_CASE("the message names key, both values and the remedy") {
    check_same_physics("state s.h5", "seed: 1\n", "this call", "seed: 1\n", "do this");
    CHECK_THROWS_WITH_AS(check_same_physics("state s.h5", "seed: 1\n", "this call", "seed: 2\n", "do this"),
                         "state s.h5 has seed = 1, but this call has seed = 2; do this", InputError);
}

TEST_CASE("texts without their lanes: what may change its coding on the way") {
    CHECK(without_lanes("seed: 1\nlanes: replicas\nhash: a\n") == "seed: 1\nhash: a\n");
    CHECK(without_lanes("seed: 1\nhash: a\n") == "seed: 1\nhash: a\n");
    CHECK(without_lanes("").empty());
}
