#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "config/sections.hpp"
#include "model/model.hpp"
#include "reference/reference.hpp"

using namespace psflip;

namespace {

/// All combinations of a few values of every parameter.
std::vector<Model> models() {
    std::vector<Model> all;
    for (ModelKind kind : {ModelKind::edwards_anderson, ModelKind::ferromagnet})
        for (int dimension : {2, 3})
            for (double field : {0.0, 0.1, -0.1, 2.0})
                for (double p_ferro : {0.0, 0.5, 0.85})
                    for (double p_absent : {0.0, 0.3})
                        for (Boundary boundary : {Boundary::periodic, Boundary::open})
                            for (Update update : {Update::metropolis, Update::heat_bath})
                                all.push_back({kind, dimension, field, p_ferro, p_absent, boundary, update});
    return all;
}

std::uint64_t reference_key(const Model& model, std::uint64_t seed, int L) {
    reference::World world;
    world.seed = seed;
    world.L = L;
    world.dimension = model.dimension;
    world.field = model.field;
    world.p_ferro = model.p_ferro;
    world.p_absent = model.p_absent;
    world.ferromagnet = model.kind == ModelKind::ferromagnet;
    world.open = model.boundary == Boundary::open;
    world.heat_bath = model.update == Update::heat_bath;
    return world.random_key();
}

}  // namespace

TEST_CASE("keys of all models, sizes and seeds follow the contract and differ") {
    std::set<std::uint64_t> keys;
    std::size_t mixed = 0;
    for (const Model& model : models())
        for (int L : {4, 6, 1024})
            for (std::uint64_t seed : {0ull, 1ull, 20261121ull, 0xffffffffffffffffull}) {
                const std::uint64_t key = model.random_key(seed, L);
                CHECK(key == reference_key(model, seed, L));
                if (model.uses_plain_seed()) {
                    CHECK(key == seed);
                } else {
                    keys.insert(key);
                    ++mixed;
                }
            }
    CHECK(keys.size() == mixed);
}

TEST_CASE("keys that are written down") {
    Model model;
    CHECK(model.uses_plain_seed());
    CHECK(model.random_key(20261121, 8) == 20261121u);
    model.dimension = 2;
    CHECK_FALSE(model.uses_plain_seed());
    CHECK(model.plain());
    CHECK(model.random_key(20261121, 8) == 0xb3ae21e7e945953au);
    model.field = -0.0;
    CHECK(model.random_key(20261121, 8) == 0xb3ae21e7e945953au);  // as +0
}

TEST_CASE("keys of vector spins and of Gaussian couplings that are written down, one for every parameter") {
    CHECK(random_key(heisenberg(), 20261121, 8) == 0x56f9afe02b31939eu);
    CHECK(random_key(gaussian_glass(), 20261121, 8) == 0x6370831b8d123c9bu);
    const std::vector<ModelSection> sections{heisenberg(),
                                             heisenberg({.dimension = 2}),
                                             heisenberg({.boundary = Boundary::open}),
                                             heisenberg({.exchange = {1, 2, 1}}),
                                             heisenberg({.dm_pattern = DmPattern::constant}),
                                             heisenberg({.dm = {0, 0, 2}}),
                                             heisenberg({.dm_axis = {1, 0, 0}}),
                                             heisenberg({.anisotropy = {2, 0}}),
                                             heisenberg({.field = 2}),
                                             heisenberg({.moments = {1, 2}}),
                                             heisenberg({.concentration = 0.5}),
                                             gaussian_glass(),
                                             gaussian_glass(2),
                                             gaussian_glass(3, 1.0)};
    std::set<std::uint64_t> keys{random_key(heisenberg(), 2, 8), random_key(heisenberg(), 1, 10)};
    for (const ModelSection& section : sections) keys.insert(random_key(section, 1, 8));
    CHECK(keys.size() == sections.size() + 2);
}

TEST_CASE("the axis of Dzyaloshinskii-Moriya vectors has length 1") {
    CHECK(dm_direction({.dm_axis = {0, 3, 4}}) == std::array<double, 3>{0, 0.6, 0.8});
}

TEST_CASE("the plain rule: no field, Metropolis, every bond there") {
    for (const Model& model : models()) {
        CHECK(model.degree() == 2 * model.dimension);
        CHECK(model.plain() ==
              (model.field == 0.0 && model.update == Update::metropolis && !model.has_absent_bonds()));
        CHECK(model.uses_plain_seed() ==
              (model.plain() && model.dimension == 3 && model.kind == ModelKind::edwards_anderson));
        CHECK_NOTHROW(check_model(model));
    }
}

TEST_CASE("models that cannot be are refused") {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();
    const auto refused = [](auto change) {
        Model model;
        change(model);
        CHECK_THROWS_AS(check_model(model), InputError);
    };
    for (int dimension : {0, 1, 4}) refused([&](Model& m) { m.dimension = dimension; });
    refused([](Model& m) { m.update = Update::cone; });
    for (double field : {nan, infinite, -infinite}) refused([&](Model& m) { m.field = field; });
    for (double p : {-0.1, 1.1, nan}) {
        refused([&](Model& m) { m.p_ferro = p; });
        refused([&](Model& m) { m.p_absent = p; });
    }
}
