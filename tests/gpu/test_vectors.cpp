#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/device.hpp"
#include "base/error.hpp"
#include "bench/slab_benchmark.hpp"
#include "slab/ranks.hpp"
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
        std::int64_t sweep = ((std::int64_t{5} << 32) / which.setup.hits - 1) * which.setup.hits;
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

TEST_CASE("tiles of vector spins have the bits of the CPU") {
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : tiled_cases(precision)) check_equal(which, 3 * which.setup.hits);
    VectorCase large{
        "L 1024",
        {.model = heisenberg({.dimension = 2}), .L = 1024, .betas = {0.7}, .tile = 32, .hits = 10},
        {VectorUpdate::metropolis, VectorUpdate::heat_bath}};
    check_equal(large, 10);
    large.name = "L 4096", large.setup.L = 4096, large.setup.hits = 2;
    check_equal(large, 2);
    large.name = "40000 states", large.setup.L = 16, large.setup.tile = 8, large.setup.realizations = 40000;
    large.setup.betas = {0.5, 0.9};
    check_equal(large, 2);
}

TEST_CASE("so they have in slabs of several ranks on one GPU") {
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision)) {
            const int count = std::min(3, which.setup.dimension() == 3 ? which.setup.L / 2 : 1);
            INFO(which.name);
            with_local_ranks(count, [&](Ranks& ranks) {
                const VectorSetup slab = slab_of_rank(which.setup, ranks);
                const auto ensemble = make_vector_ensemble({.backend = "cuda"}, slab, ranks),
                           alone = make_vector_ensemble({.backend = "cuda"}, which.setup);
                for (VectorEnsemble* e : {ensemble.get(), alone.get()}) {
                    e->set_spins(random_spins(e->setup()));
                    e->set_widths(some_widths(which.setup));
                    std::int64_t sweep = 5;
                    for (VectorUpdate update : which.updates) {
                        e->sweep(update, sweep, 3), sweep += 3;
                        e->swap_states(some_pairs(which.setup));
                    }
                }
                CHECK(ensemble->spins() == own_spins_of(slab, alone->spins()));
                if (slab.components() == 1)
                    CHECK(ensemble->spin_words() == words_of_numbers(slab, ensemble->spins()));
                CHECK(ensemble->take_renewed() == alone->take_renewed());
                const auto found = ensemble->sums(), wanted = alone->sums();
                for (std::size_t state = 0; state < wanted.size(); ++state) {
                    CHECK(found[state].energy() == wanted[state].energy());
                    CHECK(found[state].magnetisation == wanted[state].magnetisation);
                }
            });
        }
}

namespace {

struct EnergyPerSpin {
    double mean, error, longest;  ///< longest: the largest | |S| - 1 |
};

/// Of the ferromagnet at its critical temperature, from independent lattices, with errors from these.
EnergyPerSpin energy_of(Precision precision, VectorUpdate update, int L = 8, int tile = 0) {
    const VectorSetup setup{.model = heisenberg(),
                            .L = L,
                            .realizations = 512,
                            .betas = {0.693},
                            .seed = 11,
                            .precision = precision,
                            .tile = tile,
                            .hits = tile > 0 ? 5 : 1};
    const auto sites = static_cast<std::size_t>(setup.sites());
    const auto ensemble = make_vector_ensemble({.backend = "cuda"}, setup);
    ensemble->set_spins(random_spins(setup));
    ensemble->set_widths(std::vector<double>(512, 0.8));
    std::vector<double> of_lattice(512, 0.0);
    constexpr int measurements = 50;
    ensemble->sweep(update, 0, 2000);
    for (int i = 0; i < measurements; ++i) {
        ensemble->sweep(update, 2000 + 40 * i, 40);
        // Over-relaxation alone keeps the energy: heat bath in between.
        if (update == VectorUpdate::over_relaxation)
            ensemble->sweep(VectorUpdate::heat_bath, 10000 + 40 * i, 40);
        const auto sums = ensemble->sums();
        for (std::size_t k = 0; k < 512; ++k)
            of_lattice[k] += sums[k].energy() / static_cast<double>(sites) / measurements;
    }
    EnergyPerSpin found{0, 0, 0};
    for (double e : of_lattice) found.mean += e / 512;
    for (double e : of_lattice) found.error += (e - found.mean) * (e - found.mean);
    found.error = std::sqrt(found.error / 512 / 511);
    const std::vector<double> s = ensemble->spins();
    for (std::size_t first = 0; first < s.size(); first += 3 * sites)
        for (std::size_t i = first; i < first + sites; ++i)
            found.longest =
                std::max(found.longest, std::abs(std::hypot(s[i], s[i + sites], s[i + 2 * sites]) - 1));
    return found;
}

}  // namespace

TEST_CASE("fast arithmetic gives the energies of float and of double, and spins of length 1") {
    for (const VectorUpdate update : {VectorUpdate::metropolis, VectorUpdate::cone, VectorUpdate::heat_bath,
                                      VectorUpdate::over_relaxation}) {
        const EnergyPerSpin fast = energy_of(Precision::fast, update),
                            single = energy_of(Precision::single, update),
                            twofold = energy_of(Precision::twofold, update);
        INFO(std::string(name(update)) << ": fast " << fast.mean << " +- " << fast.error << ", float "
                                       << single.mean << ", double " << twofold.mean);
        CHECK(std::abs(fast.mean - single.mean) < 4 * std::hypot(fast.error, single.error));
        CHECK(std::abs(fast.mean - twofold.mean) < 4 * std::hypot(fast.error, twofold.error));
        CHECK(fast.error < 2e-3);
        CHECK(fast.longest < 2e-6);
    }
}

TEST_CASE("fast arithmetic gives the energies of float in tiles, too") {
    for (const VectorUpdate update : {VectorUpdate::metropolis, VectorUpdate::cone, VectorUpdate::heat_bath,
                                      VectorUpdate::over_relaxation}) {
        const EnergyPerSpin plain = energy_of(Precision::single, update, 16),
                            tiles = energy_of(Precision::fast, update, 16, 8);
        INFO(std::string(name(update))
             << ": tiles " << tiles.mean << " +- " << tiles.error << ", float " << plain.mean);
        CHECK(std::abs(tiles.mean - plain.mean) < 4 * std::hypot(tiles.error, plain.error));
        CHECK(tiles.error < 2e-3);
        CHECK(tiles.longest < 2e-6);
    }
}

TEST_CASE("fast arithmetic repeats its bits, also where ranks share lattices") {
    for (const VectorCase& plain : vector_cases(Precision::single)) {
        VectorCase which = plain;
        if (which.setup.components() == 1) continue;
        which.setup.precision = Precision::fast;
        INFO(which.name);
        const auto run = [&](Ranks& ranks) {
            const auto ensemble =
                make_vector_ensemble({.backend = "cuda"}, slab_of_rank(which.setup, ranks), ranks);
            ensemble->set_spins(random_spins(ensemble->setup()));
            ensemble->set_widths(some_widths(which.setup));
            for (VectorUpdate update : which.updates) ensemble->sweep(update, 5, 3);
            return ensemble->spins();
        };
        const std::vector<double> wanted = run(single_rank());
        CHECK(run(single_rank()) == wanted);
        if (which.setup.dimension() == 3 && which.setup.L >= 4)
            with_local_ranks(2, [&](Ranks& ranks) {
                CHECK(run(ranks) == own_spins_of(slab_of_rank(which.setup, ranks), wanted));
            });
    }
}

namespace {

/// Holds what some sweeps of some lattices leave.
struct VectorEnd {
    std::vector<double> spins;
    std::vector<std::uint64_t> renewed;
    std::vector<std::int64_t> sums;
    bool operator==(const VectorEnd&) const = default;
};

/// Makes all updates of a case, from spins of whole lattices, in the slab of this rank. Between the updates
/// it exchanges states, and counts sums.
VectorEnd advance_slab(const VectorCase& which, const std::vector<double>& start, std::int64_t sweep,
                       const BackendChoice& choice, Ranks& ranks) {
    const VectorSetup slab = slab_of_rank(which.setup, ranks);
    const auto ensemble = make_vector_ensemble(choice_of_rank(choice, ranks), slab, ranks);
    if (!ranks.alone()) {
        INFO(ensemble->description());
        REQUIRE(ensemble->description().ends_with("halos by " + choice.halo));
    }
    ensemble->set_spins(own_spins_of(slab, start));
    ensemble->set_widths(some_widths(which.setup));
    std::vector<std::int64_t> sums;
    for (VectorUpdate update : which.updates) {
        for (const int count : {3, 1}) ensemble->sweep(update, sweep, count), sweep += count;
        ensemble->swap_states(some_pairs(which.setup));
        const auto found = ensemble->integer_sums();
        sums.insert(sums.end(), found.begin(), found.end());
    }
    return {ensemble->spins(), ensemble->take_renewed(), sums};
}

/// Checks that slabs have the bits of whole lattices. Each number of slabs resumes from the spins that the
/// last number has left.
void check_resumed(const VectorCase& which, const std::string& halo, std::initializer_list<int> slabs) {
    INFO(which.name << ", " << std::string(name(which.setup.precision)) << ", " << halo);
    std::vector<double> start = random_spins(which.setup);
    std::int64_t sweep = 5;
    for (const int number : slabs) {
        if (number > std::min(which.setup.L / 2, cuda_devices())) continue;
        INFO(number << " slabs");
        const BackendChoice choice{.backend = "cuda", .halo = halo};
        const VectorEnd wanted = advance_slab(which, start, sweep, choice, single_rank());
        with_local_ranks(number, [&](Ranks& ranks) {
            const VectorSetup slab = slab_of_rank(which.setup, ranks);
            CHECK(advance_slab(which, start, sweep, choice, ranks) ==
                  VectorEnd{own_spins_of(slab, wanted.spins), wanted.renewed, wanted.sums});
        });
        start = wanted.spins;
        sweep += 4 * static_cast<std::int64_t>(which.updates.size());
    }
}

}  // namespace

TEST_CASE("slabs on several GPUs have the bits of whole lattices, also resumed with other numbers of GPUs" *
          doctest::test_suite("two GPUs")) {
    for (const Precision precision : {Precision::single, Precision::twofold, Precision::fast})
        for (VectorCase which : vector_cases(precision == Precision::fast ? Precision::single : precision)) {
            which.setup.precision = precision;
            if (which.setup.dimension() != 3) continue;
            if (precision == Precision::fast && which.setup.components() == 1) continue;
            check_resumed(which, "peer", {2, 3, 4, 2});
            check_resumed(which, "host", {3, 2});
        }
}

TEST_CASE("slabs of vector spins refuse ways of halos that do not suit them") {
    const VectorSetup setup{.model = heisenberg(), .L = 4, .betas = {0.7}};
    with_local_ranks(2, [&](Ranks& ranks) {  // both on one GPU
        const auto make = [&](const char* halo) {
            return make_vector_ensemble({.backend = "cuda", .halo = halo}, slab_of_rank(setup, ranks), ranks);
        };
        CHECK_THROWS_WITH_AS(make("peer"), doctest::Contains("use auto"), EnvironmentError);
        CHECK_THROWS_AS(make("mpi"), EnvironmentError);
        CHECK_THROWS_AS(make("wire"), InputError);
        CHECK(make("auto")->description().ends_with(", halos by host"));
    });
}

TEST_CASE("large slabs of vector spins have the bits of whole lattices" * doctest::test_suite("two GPUs")) {
    VectorCase large{"L 64", {.model = heisenberg(), .L = 64, .replicas = 2, .betas = {0.693}}, {}};
    large.updates = {VectorUpdate::metropolis, VectorUpdate::over_relaxation};
    check_resumed(large, "peer", {2, 3, 4});
    large.setup.L = 130, large.setup.replicas = 1, large.name = "L 130";
    check_resumed(large, "peer", {4, 3});
    large.setup.L = 4, large.setup.realizations = 70000, large.name = "70000 states";
    check_resumed(large, "peer", {2});
}

TEST_CASE("so they have in large lattices, and in more states than a launch has") {
    for (Precision precision : {Precision::single, Precision::twofold}) {
        VectorCase large{
            "L 64", {.model = heisenberg(), .L = 64, .betas = {0.693}, .precision = precision}, {}};
        large.updates = {VectorUpdate::metropolis, VectorUpdate::heat_bath, VectorUpdate::over_relaxation};
        check_equal(large, 3);
        VectorCase many = large;
        many.name = "70000 states", many.setup.L = 2, many.setup.realizations = 35000;
        many.setup.betas = {0.5, 0.9};
        check_equal(many, 3);
    }
}

TEST_CASE("lattices that stay in shared memory have the bits of the CPU") {
    using enum VectorUpdate;
    for (const int L : {8, 16, 24, 32, 40, 48, 64, 72}) {
        VectorCase which{"L " + std::to_string(L),
                         {.model = heisenberg(),
                          .L = L,
                          .realizations = L > 40 ? 1 : 3,
                          .first_realization = 5,
                          .betas = {0.5, 0.9},
                          .seed = 3},
                         {metropolis, cone, heat_bath, over_relaxation}};
        check_equal(which, 30);
    }
}

TEST_CASE("lattices larger than the L2 cache have the bits of the CPU, as tiles and colour by colour") {
    using enum VectorUpdate;
    VectorSetup setup{.model = heisenberg(), .L = 160, .betas = {0.7}, .seed = 3};
    const std::vector<double> start = random_spins(setup);
    const auto cpu = make_vector_ensemble({.backend = "cpu", .threads = 0}, setup);
    for (const int sites_of_thread : {4, 2}) {
        const auto cuda = make_vector_ensemble_cuda(setup, 0, sites_of_thread);
        cpu->set_spins(start), cuda->set_spins(start);
        std::int64_t sweep = 5;
        for (const VectorUpdate update : {metropolis, cone, heat_bath, over_relaxation}) {
            for (VectorEnsemble* ensemble : {cpu.get(), cuda.get()}) ensemble->sweep(update, sweep, 3);
            sweep += 3;
            CHECK(cuda->integer_sums() == cpu->integer_sums());
        }
        CHECK(cuda->spins() == cpu->spins());
        CHECK(cuda->take_renewed() == cpu->take_renewed());
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
