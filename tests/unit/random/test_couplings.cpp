#include <doctest/doctest.h>

#include "disorder/couplings.hpp"
#include "reference/reference.hpp"

using namespace psflip;

TEST_CASE("couplings are those of the contract") {
    for (int L : {4, 6, 10})
        for (double p_ferro : {0.0, 0.3, 0.5, 1.0})
            for (std::int64_t first : {0, 96, 16777152}) {
                reference::World world;
                world.seed = 0xfedcba9876543210ull;
                world.L = L;
                world.first_realization = first;
                world.realizations = 33;
                world.p_ferro = p_ferro;
                CHECK(generate_couplings({world.seed, p_ferro, L}, first, 33) == reference::couplings(world));
            }
}
