#include <doctest/doctest.h>

#include "disorder/couplings.hpp"
#include "reference/reference.hpp"

using namespace psflip;

TEST_CASE("couplings follow the contract") {
    for (int L : {4, 6, 10})
        for (double p_ferro : {0.0, 0.3, 0.5, 1.0})
            for (std::int64_t first : {0, 96, 16777152}) {
                reference::World world;
                world.seed = 0xfedcba9876543210ull;
                world.L = L;
                world.first_realization = first;
                world.realizations = 33;
                world.p_ferro = p_ferro;
                CHECK(generate_couplings({world.seed, {.p_ferro = p_ferro}, L}, first, 33) ==
                      reference::couplings(world));
            }
}

TEST_CASE("couplings of all models follow the contract") {
    for (int dimension : {2, 3})
        for (ModelKind kind : {ModelKind::edwards_anderson, ModelKind::ferromagnet})
            for (double p_absent : {0.0, 0.3, 1.0})
                for (Boundary boundary : {Boundary::periodic, Boundary::open})
                    for (double field : {0.0, 0.25}) {
                        reference::World world;
                        world.seed = 20261122;
                        world.L = dimension == 2 ? 10 : 6;
                        world.first_realization = 64;
                        world.realizations = 3;
                        world.p_ferro = 0.6;
                        world.dimension = dimension;
                        world.field = field;
                        world.p_absent = p_absent;
                        world.ferromagnet = kind == ModelKind::ferromagnet;
                        world.open = boundary == Boundary::open;
                        const Model model{kind, dimension, field, 0.6, p_absent, boundary};
                        CHECK(generate_couplings({world.seed, model, world.L}, 64, 3) ==
                              reference::couplings(world));
                    }
}
