#include <doctest/doctest.h>

#include <numeric>

#include "../../messages.hpp"
#include "../case_checks.hpp"
#include "base/error.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "reference/cases.hpp"
#include "sweep/host_ensemble.hpp"
#include "sweep/sites/large_lattice.hpp"

using namespace psflip;
using namespace psflip::reference;
using psflip::test::check;
using psflip::test::cpu;
using psflip::test::message_of;

TEST_CASE("lanes = sites: every simulation equals the naive reference bit for bit") {
    std::int64_t exchanges = 0;
    for (const Case& which : site_cases()) {
        check(which, run_library(which, cpu()), expected(which));
        check(which, run_library(which, cpu(3)), expected(which));
        check(which, run_library_in_two(which, cpu(), 2), expected(which));
        const auto& accepted = expected(which).tempering.accepted;
        exchanges += std::accumulate(accepted.begin(), accepted.end(), std::int64_t{0});
    }
    CHECK(exchanges > 20);
}

TEST_CASE(
    "lanes = sites: slabs of cubes, equal or not, and ranks that share the sweeps of squares, give the "
    "bits of one rank, also if other ranks continue a run") {
    for (const int dimension : {2, 3}) {
        Case glass = site_cases()[static_cast<std::size_t>(dimension - 2)], field = glass;
        REQUIRE(glass.world.dimension == dimension);
        field.world.field = 0.4;
        field.world.replicas = 4;
        field.name += " in a field";
        for (const Case& which : {glass, field}) {
            const Result wanted = run_library(which, cpu());
            for (const int slabs : {2, 3, 4})
                check(which, run_library(which, cpu(slabs), {SiteOrder::standard, slabs}), wanted);
            check(which,
                  run_library_in_two(which, cpu(), 1, {SiteOrder::standard, 3}, {SiteOrder::standard, 2}),
                  wanted);
        }
    }
}

TEST_CASE("lanes = sites: with tiles the lattices of a batch are those that run alone") {
    World world = site_cases()[0].world;
    Shape shape = shape_of(world);
    shape.tile = 2;
    shape.hits = 3;
    const auto bonds = couplings(world);
    const auto batch =
        make_ising_ensemble({cpu(), shape, betas_of(world), world.seed, bonds, 0, model_of(world)});
    batch->set_spins(random_spins(shape, batch->key()));
    batch->sweep(0, 6);
    batch->sweep(6, 3);
    const auto spins = spins_of_words(world, batch->spins());
    batch->compute_energies();
    const auto energies = batch->energies();
    const int lattices = world.replicas * world.slots(), sites = world.sites();
    for (int r = 0; r < world.realizations; ++r)
        for (int i = 0; i < lattices; ++i) {
            const auto slot = static_cast<std::uint32_t>(i % world.slots());
            const auto alone = make_large_lattice(
                cpu(), {.model = model_of(world),
                        .L = world.L,
                        .beta = betas_of(world)[slot],
                        .seed = world.seed,
                        .realization = static_cast<std::uint32_t>(world.first_realization + r),
                        .replica = static_cast<std::uint32_t>(i / world.slots()),
                        .slot = slot,
                        .tile = 2,
                        .hits = 3});
            alone->advance(3);
            const auto first = spins.begin() + (std::ptrdiff_t{r} * lattices + i) * sites;
            CHECK(alone->spins() == std::vector<std::int8_t>(first, first + sites));
            CHECK(alone->sums().bonds == energies[i * world.realizations + r]);
        }
}

TEST_CASE("lanes = sites: other lanes continue a state, and give it back unchanged") {
    World world = site_cases()[0].world;
    const auto bonds = couplings(world);
    const auto make = [&] {
        return make_ising_ensemble(
            {cpu(), shape_of(world), betas_of(world), world.seed, bonds, 0, model_of(world)});
    };
    const auto sites = make();
    sites->set_spins(random_spins(sites->shape(), sites->key()));
    sites->sweep(0, 2);
    world.site_lanes = false;
    const auto columns = make();
    columns->set_spins(sites->spins());
    CHECK(columns->spins() == sites->spins());
    columns->compute_energies();
    sites->compute_energies();
    CHECK(columns->energies() == sites->energies());
    columns->sweep(2, 1);
    sites->sweep(2, 1);
    CHECK(columns->spins() != sites->spins());  // other numbers
}

TEST_CASE("lanes = sites: energies of the smallest square whose energies have no room in 32 bits") {
    Shape shape{46400, 1, 1, 1, 0, 1, 2};
    shape.coding = Lanes::sites;
    REQUIRE(has_wide_energies(shape));
    const auto ensemble = make_ising_ensemble(
        {cpu(), shape, {0.5}, 1, {}, 0, {.kind = ModelKind::ferromagnet, .dimension = 2}});
    const auto energy = [&] {
        ensemble->compute_energies();
        return *dynamic_cast<const HostEnsemble&>(*ensemble).wide_energies();
    };
    CHECK(energy() == -2 * shape.sites());  // all down
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(held_words(shape)), 0);
    bits[12345] = 0b101;
    ensemble->set_held_spins({bits});
    CHECK(energy() == -2 * shape.sites() + 16);
}

TEST_CASE("lanes = sites: what is not there is refused in plain words") {
    const World world = site_cases()[0].world;
    const auto refusal = [&](const Shape& shape, std::int8_t coupling) {
        const std::vector<std::int8_t> bonds(shape.bonds() * shape.realizations, coupling);
        return message_of<InputError>([&] {
            make_ising_ensemble({cpu(), shape, betas_of(world), 1, bonds, 0, model_of(world)});
        });
    };
    Shape shape = shape_of(world);
    CHECK(refusal(shape, 0).find("absent bonds do not go with multispin.lanes = sites") != std::string::npos);
    shape.share = 32;
    CHECK(refusal(shape, 1).find("use 1") != std::string::npos);
    shape = shape_of(world);
    shape.L = 66;
    CHECK(refusal(shape, 1).find("for example 64 or 128") != std::string::npos);
}
