#include <doctest/doctest.h>

#include "base/error.hpp"
#include "reference/cases.hpp"
#include "slab/ranks.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

void check_division(const Case& which, const Division& division, const Result& wanted) {
    CAPTURE(which.name);
    CAPTURE(name(division.order));
    CAPTURE(division.slabs);
    const std::string text = difference(which, run_library(which, {"cpu", 2, 0}, division), wanted);
    CHECK_MESSAGE(text.empty(), text);
}

bool is_power_of_two(int L) {
    return (L & (L - 1)) == 0;
}

/// A short run with exchanges and measurements, for any model.
Case short_run(int L, int share, bool diluted) {
    Case which;
    which.name = "L" + std::to_string(L) + " share " + std::to_string(share) + (diluted ? " diluted" : "");
    which.world.L = L;
    which.world.share = share;
    which.world.realizations = 40;
    which.world.replicas = 2;
    which.world.temperatures = {0.9, 1.4};
    if (diluted) which.world.p_absent = 0.2, which.world.field = 0.3, which.world.replicas = 4;
    which.schedule = {.thermalize_sweeps = 2,
                      .sweeps_per_swap = 1,
                      .run_first = 0,
                      .run_last = 2,
                      .run_sweeps = 2,
                      .measure_every = 1,
                      .blocks = 1};
    return which;
}

/// One sweep of one large lattice.
Case long_rows(int L) {
    Case which;
    which.name = "rows of " + std::to_string(L);
    which.world.L = L;
    which.world.realizations = 1;
    which.world.replicas = 1;
    which.world.temperatures = {1.1};
    which.schedule = {.run_last = 1};
    return which;
}

}  // namespace

TEST_CASE("every site order gives the same bits, for all models" * doctest::test_suite("long")) {
    for (const auto& cases : {equality_cases(), model_cases()})
        for (const Case& which : cases) {
            if (which.world.dimension != 3) continue;
            check_division(which, {SiteOrder::sliced, 0}, expected(which));
            if (is_power_of_two(which.world.L) && which.world.L <= 8)
                check_division(which, {SiteOrder::bitwise, 0}, expected(which));
        }
}

TEST_CASE("so it does at every SIMD level, and so do 1 to 4 slabs of every order, equal or not") {
    for (const std::string& level : simd_levels()) {
        CAPTURE(level);
        const ForceSimd force(level);
        for (const Case& which : small_cases()) {
            if (which.world.dimension != 3) continue;
            check_division(which, {SiteOrder::sliced, 0}, expected(which));
            for (SiteOrder order : {SiteOrder::standard, SiteOrder::sliced})
                for (int slabs = 1; slabs <= std::min(4, which.world.L / 2); ++slabs)
                    check_division(which, {order, slabs}, expected(which));
        }
    }
}

TEST_CASE("slabs of all models") {
    for (const Case& which : model_cases()) {
        if (which.world.dimension != 3 || which.world.L > 8) continue;
        check_division(which, {SiteOrder::standard, 2}, expected(which));
        check_division(which, {SiteOrder::sliced, std::min(3, which.world.L / 2)}, expected(which));
    }
}

TEST_CASE("slabs of lattices up to L = 64, every share and both rules") {
    for (int L : {8, 10, 16, 20, 64})
        for (int share : {1, 32, 64, 128})
            for (bool diluted : {false, true}) {
                if (L == 64 && (share != 128 || diluted)) continue;
                const Case which = short_run(L, share, diluted);
                const Result wanted = run_library(which, {"cpu", 2, 0});
                check_division(which, {SiteOrder::standard, L < 64 ? 4 : 3}, wanted);
                check_division(which, {SiteOrder::sliced, L < 64 ? 3 : 2}, wanted);
            }
}

TEST_CASE("rows longer than a chunk of the sweep") {
    Case which = long_rows(132);
    for (int share : {1, 128}) {
        which.world.share = share;
        which.name = "long rows, share " + std::to_string(share);
        check_division(which, {SiteOrder::sliced, 0}, expected(which));
        check_division(which, {SiteOrder::sliced, 3}, expected(which));
    }
}

TEST_CASE("rows of several chunks of the sweep" * doctest::test_suite("long")) {
    Case which = long_rows(258);
    which.world.share = 128;
    check_division(which, {SiteOrder::standard, 0}, expected(which));
}

TEST_CASE("another number of slabs and another order continue a run") {
    const Case which = short_run(10, 32, true);
    const std::string text = difference(
        which, run_library_in_two(which, {"cpu", 1, 0}, 2, {SiteOrder::standard, 3}, {SiteOrder::sliced, 4}),
        expected(which));
    CHECK_MESSAGE(text.empty(), text);
    const std::string back = difference(
        which, run_library_in_two(which, {"cpu", 1, 0}, 3, {SiteOrder::sliced, 2}, {}), expected(which));
    CHECK_MESSAGE(back.empty(), back);
}

TEST_CASE("the description names the site order of the shape") {
    Shape shape = shape_of(short_run(8, 128, false).world);
    const std::vector<std::int8_t> bonds(shape.realizations * 3 * shape.sites(), 1);
    for (const SiteOrder order : {SiteOrder::sliced, SiteOrder::bitwise}) {
        shape.order = order;
        const auto ensemble = make_ising_ensemble({{"cpu", 1, 0}, shape, {1.0, 0.7}, 1, bonds});
        CHECK(ensemble->description().ends_with(std::string(", ") + name(order) + " site order"));
        CHECK(site_order_of(name(order)) == order);
    }
    CHECK_THROWS_AS(site_order_of("random"), InputError);
}

TEST_CASE("with share 1 a rank holds 2^28 sites at most, where positions of words have 32 bits") {
    Shape shape{644, 1, 1, 1, 0, 1};
    CHECK_NOTHROW(check_shape(shape));
    shape.L = 646;
    CHECK_THROWS_WITH_AS(check_shape(shape), doctest::Contains("use L up to 644, or several ranks for Ising"),
                         InputError);
    shape.coding = Lanes::replicas;
    CHECK_THROWS_WITH_AS(
        check_shape(shape),
        doctest::Contains("use L up to 644, multispin.lanes = sites, or multispin.lanes = realizations with"),
        InputError);
    shape.coding = Lanes::realizations;
    shape.share = 32;
    CHECK_NOTHROW(check_shape(shape));
    shape = {1024, 1, 1, 1, 0, 1};
    shape.slab_planes = 252;  // and two of either neighbour
    CHECK_NOTHROW(check_shape(shape));
    shape.slab_planes = 254;
    CHECK_THROWS_WITH_AS(check_shape(shape), doctest::Contains("so few ranks; use more ranks"), InputError);
}

TEST_CASE("slabs and orders that cannot be are refused") {
    for (const std::string halo : {"peer", "mpi"}) {
        const BackendChoice choice{.backend = "cpu", .halo = halo};
        CHECK_THROWS_AS(choose_backend(choice), InputError);
    }
    Shape shape = shape_of(short_run(10, 32, false).world);
    shape.order = SiteOrder::bitwise;
    CHECK_THROWS_AS(check_shape(shape), InputError);
    shape.order = SiteOrder::standard;
    shape.slab_planes = 4;
    CHECK_NOTHROW(check_shape(shape));
    shape.first_plane = 8;
    CHECK_THROWS_AS(check_shape(shape), InputError);
    shape.first_plane = 3;
    CHECK_THROWS_AS(check_shape(shape), InputError);
    shape.first_plane = 0;
    shape.dimension = 2;
    CHECK_THROWS_AS(check_shape(shape), InputError);
    shape.slab_planes = 0;
    shape.order = SiteOrder::sliced;
    CHECK_THROWS_AS(check_shape(shape), InputError);
}
