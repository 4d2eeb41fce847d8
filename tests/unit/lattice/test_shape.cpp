#include <doctest/doctest.h>

#include "lattice/shape.hpp"

using namespace psflip;

TEST_CASE("two dimensions are three with one plane") {
    Shape shape{.L = 6, .replicas = 2, .temperatures = 3, .realizations = 70};
    CHECK(shape.dimension == 3);
    CHECK(shape.depth() == 6);
    CHECK(shape.sites() == 216);
    CHECK(shape.spin_words() == 2 * 2 * 3 * 216);
    shape.dimension = 2;
    CHECK(shape.depth() == 1);
    CHECK(shape.sites() == 36);
    CHECK(shape.spin_words() == 2 * 2 * 3 * 36);
    shape.L = 1024;
    CHECK(shape.sites() == 1048576);
    CHECK_FALSE(shape == Shape{.L = 1024, .replicas = 2, .temperatures = 3, .realizations = 70});
}
