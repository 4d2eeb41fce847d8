#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "base/error.hpp"
#include "model/heisenberg.hpp"

using namespace psflip;

namespace {

template <class Change>
std::string refusal(Change change) {
    Heisenberg model;
    change(model);
    try {
        check_model(model);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("constants of vector spins that mean nothing are refused in words") {
    CHECK(refusal([](Heisenberg&) {}) == "");
    CHECK(refusal([](Heisenberg& m) { m.dimension = 4; }) == "dimension = 4 is not 2 or 3");
    CHECK(refusal([](Heisenberg& m) { m.concentration = 1.5; }) ==
          "concentration = 1.5 is not between 0 and 1");
    CHECK(refusal([](Heisenberg& m) { m.concentration = std::numeric_limits<double>::quiet_NaN(); }) ==
          "concentration = nan is not between 0 and 1");
    CHECK(refusal([](Heisenberg& m) { m.field = std::numeric_limits<double>::infinity(); }) ==
          "field = inf is not a finite number");
    CHECK(refusal([](Heisenberg& m) { m.dm_pattern = DmPattern::alternating; }) ==
          "dm_pattern is alternating but all of dm is 0; give dm, or set dm_pattern to none");
    CHECK(refusal([](Heisenberg& m) {
              m.dm = {0, 1, 0};
          }) == "dm is given but dm_pattern is none; set it to constant or alternating, or dm to 0");
    CHECK(refusal([](Heisenberg& m) {
              m.dm_pattern = DmPattern::constant, m.dm = {1, 1, 1}, m.dm_axis = {0, 0, 0};
          }) == "dm_axis has length 0 and points nowhere; give it a direction as 0 1 0");
    CHECK(refusal([](Heisenberg& m) {
              m.dm_pattern = DmPattern::constant, m.dm = {1, 1, 1}, m.dm_axis = {0, 3, 4};
          }) == "");
    CHECK_THROWS_AS(check_model(GaussianGlass{.dimension = 1}), InputError);
}

TEST_CASE("the axis of Dzyaloshinskii-Moriya vectors has length 1") {
    Heisenberg model;
    model.dm_axis = {0, 3, 4};
    CHECK(model.dm_direction() == std::array<double, 3>{0, 0.6, 0.8});
}

TEST_CASE("every constant and size has a key of its own") {
    std::set<std::uint64_t> keys;
    const auto add = [&](auto change) {
        Heisenberg model;
        change(model);
        keys.insert(model.random_key(1, 8));
    };
    add([](Heisenberg&) {});
    add([](Heisenberg& m) { m.dimension = 2; });
    add([](Heisenberg& m) { m.boundary = Boundary::open; });
    add([](Heisenberg& m) { m.exchange[1] = 2; });
    add([](Heisenberg& m) { m.dm_pattern = DmPattern::constant; });
    add([](Heisenberg& m) { m.dm[2] = 2; });
    add([](Heisenberg& m) { m.dm_axis = {1, 0, 0}; });
    add([](Heisenberg& m) { m.anisotropy[0] = 2; });
    add([](Heisenberg& m) { m.field = 2; });
    add([](Heisenberg& m) { m.moment[1] = 2; });
    add([](Heisenberg& m) { m.concentration = 0.5; });
    keys.insert(Heisenberg{}.random_key(2, 8));
    keys.insert(Heisenberg{}.random_key(1, 10));
    keys.insert(GaussianGlass{}.random_key(1, 8));
    keys.insert(GaussianGlass{2, 0.0}.random_key(1, 8));
    keys.insert(GaussianGlass{3, 1.0}.random_key(1, 8));
    CHECK(keys.size() == 16);
}
