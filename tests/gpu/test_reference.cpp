#include <doctest/doctest.h>

#include "reference/cases.hpp"
#include "simulation.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

void check_cases(const std::vector<Case>& cases, const char* kernel) {
    const KernelChoice choice(kernel);
    for (const Case& which : cases) {
        INFO(which.name << ", kernel " << kernel);
        CHECK(difference(which, run_library(which, {"cuda", 0, 0}), expected(which)) == "");
    }
}

void check_in_two(const Case& which) {
    INFO(which.name);
    const std::int64_t middle = which.schedule.thermalize_sweeps + which.schedule.run_last / 2;
    CHECK(difference(which, run_library_in_two(which, {"cuda", 0, 0}, middle), expected(which)) == "");
}

}  // namespace

TEST_CASE("CUDA equals the naive reference in every case of the lists") {
    check_cases(equality_cases(), "auto");
    check_cases(model_cases(), "auto");
}

TEST_CASE("the streaming kernels equal the naive reference") {
    check_cases(small_cases(), "streaming");
    check_cases(model_cases(), "streaming");
}

TEST_CASE("CUDA, interrupted and continued, equals the naive reference") {
    for (const Case& which : small_cases()) check_in_two(which);
    int number = 0;
    for (const Case& which : model_cases())
        if (++number % 3 == 0 && which.schedule.run_last >= 3) check_in_two(which);
}
