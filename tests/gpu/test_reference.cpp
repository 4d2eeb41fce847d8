#include <doctest/doctest.h>

#include "reference/cases.hpp"
#include "simulation.hpp"

using namespace psflip;
using namespace psflip::reference;

TEST_CASE("CUDA equals the naive reference in every case of the list") {
    for (const Case& which : equality_cases()) {
        INFO(which.name);
        CHECK(difference(which, run_library(which, {"cuda", 0, 0}), expected(which)) == "");
    }
}

TEST_CASE("CUDA, interrupted and continued, equals the naive reference") {
    for (const Case& which : small_cases()) {
        INFO(which.name);
        const std::int64_t middle = which.schedule.thermalize_sweeps + which.schedule.run_last / 2;
        CHECK(difference(which, run_library_in_two(which, {"cuda", 0, 0}, middle), expected(which)) == "");
    }
}

TEST_CASE("the streaming kernel equals the naive reference") {
    const KernelChoice streaming("streaming");
    for (const Case& which : small_cases()) {
        INFO(which.name);
        CHECK(difference(which, run_library(which, {"cuda", 0, 0}), expected(which)) == "");
    }
}
