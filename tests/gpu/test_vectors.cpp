#include <doctest/doctest.h>

#include "slab/local_ranks.hpp"
#include "unit/measure/gaussian_batch.hpp"
#include "unit/sweep/vector/vector_cases.hpp"

using namespace psflip;

namespace {

void check_equal(const VectorCase& which, int sweeps) {
    INFO(which.name << ", " << std::string(name(which.setup.precision)));
    const auto cpu = make_vector_ensemble({.backend = "cpu", .threads = 0}, which.setup);
    const auto cuda = make_vector_ensemble({.backend = "cuda"}, which.setup);
    const std::vector<double> start = random_spins(which.setup);
    for (VectorEnsemble* ensemble : {cpu.get(), cuda.get()}) {
        ensemble->set_spins(start);
        REQUIRE(ensemble->spins() == start);
        ensemble->set_widths(some_widths(which.setup));
        ensemble->swap_states(some_pairs(which.setup));
        std::int64_t sweep = (std::int64_t{5} << 32) - 1;
        for (VectorUpdate update : which.updates) ensemble->sweep(update, sweep, sweeps), sweep += sweeps;
        ensemble->set_betas(other_betas(which.setup));
        ensemble->set_field(other_field(which.setup));
        for (VectorUpdate update : which.updates) ensemble->sweep(update, sweep, sweeps), sweep += sweeps;
    }
    CHECK(cuda->spins() == cpu->spins());
    CHECK(cuda->take_renewed() == cpu->take_renewed());
    const auto wanted = cpu->sums(), found = cuda->sums();
    REQUIRE(found.size() == wanted.size());
    for (std::size_t state = 0; state < found.size(); ++state) {
        CHECK(found[state].exchange == wanted[state].exchange);
        CHECK(found[state].dm == wanted[state].dm);
        CHECK(found[state].anisotropy == wanted[state].anisotropy);
        CHECK(found[state].field == wanted[state].field);
        CHECK(found[state].magnetisation == wanted[state].magnetisation);
    }
}

}  // namespace

TEST_CASE("vector spins, and Ising spins with Gaussian couplings, have the bits of the CPU on CUDA") {
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision)) check_equal(which, 20);
}

TEST_CASE("so they have where ranks share the lattices of a GPU") {
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision)) {
            const int count = std::min(3, which.setup.dimension() == 3 ? which.setup.L / 2 : 1);
            INFO(which.name);
            with_local_ranks(count, [&](Ranks& ranks) {
                const auto ensemble = make_vector_ensemble({.backend = "cuda"}, which.setup, ranks),
                           alone = make_vector_ensemble({.backend = "cuda"}, which.setup);
                for (VectorEnsemble* e : {ensemble.get(), alone.get()}) {
                    e->set_spins(random_spins(which.setup));
                    e->set_widths(some_widths(which.setup));
                    std::int64_t sweep = 5;
                    for (VectorUpdate update : which.updates) {
                        e->sweep(update, sweep, 3), sweep += 3;
                        e->swap_states(some_pairs(which.setup));
                    }
                }
                CHECK(ensemble->spins() == alone->spins());
                CHECK(ensemble->take_renewed() == alone->take_renewed());
                const auto found = ensemble->sums(), wanted = alone->sums();
                for (std::size_t state = 0; state < wanted.size(); ++state) {
                    CHECK(found[state].energy() == wanted[state].energy());
                    CHECK(found[state].magnetisation == wanted[state].magnetisation);
                }
            });
        }
}

TEST_CASE("so they have in large lattices, and in more states than a launch has") {
    for (Precision precision : {Precision::single, Precision::twofold}) {
        VectorCase large{
            "L 64", {.model = Heisenberg{}, .L = 64, .betas = {0.693}, .precision = precision}, {}};
        large.updates = {VectorUpdate::metropolis, VectorUpdate::heat_bath, VectorUpdate::over_relaxation};
        check_equal(large, 3);
        VectorCase many = large;
        many.name = "70000 states", many.setup.L = 2, many.setup.realizations = 35000;
        many.setup.betas = {0.5, 0.9};
        check_equal(many, 3);
    }
}

TEST_CASE("batches with Gaussian couplings exchange and measure the bits of the CPU on CUDA") {
    for (int dimension : {2, 3})
        for (const VectorUpdate update : {VectorUpdate::metropolis, VectorUpdate::heat_bath})
            for (const Precision precision : {Precision::single, Precision::twofold}) {
                const VectorSetup setup = gaussian_setup(dimension, precision);
                CHECK(gaussian_run({.backend = "cuda"}, setup, update) ==
                      gaussian_run({.backend = "cpu", .threads = 0}, setup, update));
            }
}
