#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "naive_vectors.hpp"
#include "reference/cases.hpp"
#include "slab/ranks.hpp"
#include "vector_cases.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

constexpr std::int64_t first_sweep = (std::int64_t{3} << 32) + 6;  // a multiple of all hits

struct Found {
    std::vector<double> spins;
    std::vector<std::uint64_t> renewed;
    std::vector<VectorSums> sums;
};

Found run(const VectorCase& which, int threads, Ranks& ranks = single_rank()) {
    const VectorSetup setup = slab_of_rank(which.setup, ranks);
    const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = threads}, setup, ranks);
    ensemble->set_spins(random_spins(setup));
    ensemble->set_widths(some_widths(which.setup));
    ensemble->swap_states(some_pairs(which.setup));
    std::int64_t sweep = first_sweep;
    const int count = 2 * setup.hits;
    for (VectorUpdate update : which.updates) ensemble->sweep(update, sweep, count), sweep += count;
    ensemble->set_betas(other_betas(which.setup));
    ensemble->set_field(other_field(which.setup));
    for (VectorUpdate update : which.updates) ensemble->sweep(update, sweep, count), sweep += count;
    return {ensemble->spins(), ensemble->take_renewed(), ensemble->sums()};
}

void check_same(const Found& found, const Found& wanted) {
    CHECK(found.spins == wanted.spins);
    CHECK(found.renewed == wanted.renewed);
    REQUIRE(found.sums.size() == wanted.sums.size());
    for (std::size_t state = 0; state < wanted.sums.size(); ++state) {
        CHECK(found.sums[state].energy() == wanted.sums[state].energy());
        CHECK(found.sums[state].magnetisation == wanted.sums[state].magnetisation);
    }
}

template <class T>
void check_against_naive(const VectorCase& which) {
    INFO(which.name);
    naive::Vectors<T> wanted(which.setup);
    wanted.spins = with_swapped(random_spins(which.setup), which.setup);
    wanted.set_widths(some_widths(which.setup));
    const int count = 2 * which.setup.hits;
    std::int64_t sweep = first_sweep;
    for (VectorUpdate update : which.updates) wanted.sweep(update, sweep, count), sweep += count;
    wanted.set_conditions(other_betas(which.setup), other_field(which.setup));
    for (VectorUpdate update : which.updates) wanted.sweep(update, sweep, count), sweep += count;
    Found same{wanted.spins, wanted.renewed, {}};
    for (const std::string& level : simd_levels())
        for (int threads : {1, 3}) {
            CAPTURE(level);
            CAPTURE(threads);
            const ForceSimd force(level);
            const Found found = run(which, threads);
            if (same.sums.empty()) same.sums = found.sums;
            check_same(found, same);
        }
    const std::vector<VectorSums>& sums = same.sums;
    const double precise = 1e-8 * static_cast<double>(which.setup.sites());
    for (std::size_t state = 0; state < sums.size(); ++state) {
        const auto energies = wanted.energies(static_cast<std::int64_t>(state));
        const double found[] = {sums[state].exchange, sums[state].dm, sums[state].anisotropy,
                                sums[state].field};
        for (int i = 0; i < 4; ++i)
            CHECK(std::abs(found[i] - static_cast<double>(energies[i])) <=
                  (sizeof(T) == 4 ? 100 : 1) * precise);
    }
}

}  // namespace

TEST_CASE("every instruction set and number of threads gives the naive lattice's bits, in float") {
    for (const VectorCase& which : vector_cases(Precision::single)) check_against_naive<float>(which);
}

TEST_CASE("every instruction set and number of threads gives the naive lattice's bits, in double") {
    for (const VectorCase& which : vector_cases(Precision::twofold)) check_against_naive<double>(which);
}

TEST_CASE("with tiles, they give the bits of tiles that are updated one after the other") {
    for (const VectorCase& which : tiled_cases(Precision::single)) check_against_naive<float>(which);
    for (const VectorCase& which : tiled_cases(Precision::twofold)) check_against_naive<double>(which);
}

TEST_CASE("tiles that do not fit, and parts of steps, are refused") {
    VectorSetup setup{.model = heisenberg({.dimension = 2}), .L = 32, .betas = {1.0}, .tile = 16, .hits = 2};
    check_setup(setup);
    const auto ensemble = make_vector_ensemble({.backend = "cpu"}, setup);
    CHECK_THROWS_AS(ensemble->sweep(VectorUpdate::metropolis, 1, 2), std::invalid_argument);
    CHECK_THROWS_AS(ensemble->sweep(VectorUpdate::metropolis, 2, 3), std::invalid_argument);
    const auto refused = [&](auto change, const char* why) {
        VectorSetup wrong = setup;
        change(wrong);
        CHECK_THROWS_WITH_AS(check_setup(wrong), doctest::Contains(why), InputError);
    };
    refused([](VectorSetup& s) { s.tile = 32; }, "use 8, 16");
    refused([](VectorSetup& s) { s.tile = 4; }, "use 8, 16");
    refused([](VectorSetup& s) { s.L = 24; }, "use no tiles");
    refused([](VectorSetup& s) { s.model = heisenberg(); }, "use 8");
    refused([](VectorSetup& s) { s.hits = 0; }, "use at least 1");
    refused([](VectorSetup& s) { s.tile = 0; }, "use 1 hit");
    refused([](VectorSetup& s) { s.model.boundary = Boundary::open; }, "periodic");
    refused(
        [](VectorSetup& s) {
            s = slab_of({.model = heisenberg(), .L = 16, .betas = {1.0}, .tile = 8}, 0, 8);
        },
        "use one rank");
}

TEST_CASE("so do ranks with slabs, equal or not") {
    for (const Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision)) {
            INFO(which.name);
            const int most = which.setup.dimension() == 3 ? which.setup.L / 2 : 1;
            const Found wanted = run(which, 1);
            for (int count = 2; count <= std::min(most, 4); ++count) {
                CAPTURE(count);
                std::vector<Found> of_ranks(static_cast<std::size_t>(count));
                std::vector<VectorSetup> slabs(static_cast<std::size_t>(count));
                with_local_ranks(count, [&](Ranks& ranks) {
                    const auto rank = static_cast<std::size_t>(ranks.rank());
                    slabs[rank] = slab_of_rank(which.setup, ranks);
                    of_ranks[rank] = run(which, 1 + ranks.rank(), ranks);
                });
                for (std::size_t rank = 0; rank < slabs.size(); ++rank)
                    check_same(of_ranks[rank],
                               {own_spins_of(slabs[rank], wanted.spins), wanted.renewed, wanted.sums});
            }
        }
}

TEST_CASE("fast arithmetic is refused on the CPU and for Ising spins") {
    VectorSetup setup{.model = heisenberg(), .L = 4, .betas = {1.0}, .precision = Precision::fast};
    CHECK_THROWS_AS(make_vector_ensemble({.backend = "cpu"}, setup), InputError);
    setup.model = gaussian_glass();
    draw_disorder(setup);
    CHECK_THROWS_AS(check_setup(setup), InputError);
}

TEST_CASE("more ranks than pairs of planes, and lattices of two dimensions, are refused") {
    VectorSetup setup{.model = heisenberg(), .L = 4, .betas = {1.0}};
    ModelSection plane = heisenberg();
    plane.dimension = 2;
    VectorSetup planar = setup;
    planar.model = plane, planar.L = 8;
    with_local_ranks(3, [&](Ranks& ranks) {
        CHECK_THROWS_AS(slab_of_rank(setup, ranks), InputError);
        CHECK_THROWS_AS(slab_of_rank(planar, ranks), InputError);
    });
}
