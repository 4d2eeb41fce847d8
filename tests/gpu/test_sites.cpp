#include <doctest/doctest.h>

#include "base/device.hpp"
#include "base/error.hpp"
#include "reference/cases.hpp"
#include "slab/ranks.hpp"
#include "sweep/sites/large_lattice.hpp"

using namespace psflip;

namespace {

Model model(int dimension, bool glass) {
    return {.kind = glass ? ModelKind::edwards_anderson : ModelKind::ferromagnet,
            .dimension = dimension,
            .p_ferro = 0.6};
}

void check_equal(const LargeLatticeSetup& setup, int steps, const std::string& kernel = "auto") {
    const std::string what = std::to_string(setup.model.dimension) + "D, L = " + std::to_string(setup.L) +
                             ", " + name(setup.model.kind) + ", beta " + std::to_string(setup.beta) +
                             ", tile " + std::to_string(setup.tile) + ", " + std::to_string(setup.hits) +
                             " hits, kernel " + kernel;
    CAPTURE(what);
    const auto host = make_large_lattice({.backend = "cpu"}, setup),
               device = make_large_lattice({.backend = "cuda", .kernel = kernel}, setup);
    REQUIRE(host->spins() == device->spins());
    REQUIRE(host->sums() == device->sums());
    host->advance(1);
    device->advance(1);
    REQUIRE(host->spins() == device->spins());
    CHECK(host->advance_with_sums(steps) == device->advance_with_sums(steps));
    CHECK(host->spins() == device->spins());
}

/// Lattices of 2 realizations, 2 replicas and 3 slots at different temperatures, some of which change places.
void check_batch(const LargeLatticeSetup& first, int steps, const std::string& kernel = "auto") {
    const std::string what = std::to_string(first.model.dimension) + "D, L = " + std::to_string(first.L) +
                             ", " + name(first.model.kind) + ", tile " + std::to_string(first.tile) + ", " +
                             std::to_string(first.hits) + " hits, kernel " + kernel;
    CAPTURE(what);
    std::vector<LargeLatticeSetup> setups;
    for (std::uint32_t i = 0; i < 12; ++i) {
        setups.push_back(first);
        setups.back().realization = 33 + i / 6;
        setups.back().replica = i / 3 % 2;
        setups.back().slot = i % 3;
        setups.back().beta = first.beta * (1 + 0.3 * (i % 3));
    }
    auto host = make_large_lattices({.backend = "cpu"}, setups),
         device = make_large_lattices({.backend = "cuda", .kernel = kernel}, setups);
    const auto check = [&](int count) {
        for (auto* lattices : {&host, &device}) lattices->front()->advance_all(*lattices, count);
        for (std::size_t i = 0; i < host.size(); ++i) {
            CAPTURE(i);
            REQUIRE(host[i]->spins() == device[i]->spins());
        }
        CHECK(host.front()->sums_of_all(host) == device.front()->sums_of_all(device));
    };
    check(steps);
    for (auto* lattices : {&host, &device})
        for (const std::uint32_t i : {0, 4, 9}) {
            std::swap((*lattices)[i], (*lattices)[i + 1]);
            for (const std::uint32_t slot : {i, i + 1})
                (*lattices)[slot]->set_temperature(slot % 3, setups[slot].beta);
        }
    check(steps + 1);
    for (auto* lattices : {&host, &device})
        for (std::uint32_t i = 0; i < 12; ++i) (*lattices)[i]->set_temperature(i % 3, 0.2 + 0.1 * (i % 3));
    check(1);
}

/// Compares ranks that are threads with one rank on the CPU. Halos through the host work with one GPU for all
/// ranks. Halos by peers need a GPU for each rank, and numbers above the number of GPUs are left out.
void check_ranks(const LargeLatticeSetup& setup, std::initializer_list<int> numbers,
                 const std::string& halo = "host") {
    CAPTURE(halo);
    CAPTURE(setup.model.dimension);
    CAPTURE(setup.tile);
    CAPTURE(setup.L);
    const auto alone = make_large_lattice({.backend = "cpu"}, setup);
    alone->advance(3);
    const auto spins = alone->spins();
    const LatticeSums sums = alone->sums();
    for (const int ranks : numbers) {
        if (halo == "peer" && ranks > cuda_devices()) continue;
        with_local_ranks(ranks, [&](Ranks& mine) {
            const auto lattice = make_large_lattice(
                {.backend = "cuda", .device = mine.rank() % cuda_devices(), .halo = halo}, setup, mine);
            lattice->advance(2);
            const auto series = lattice->advance_with_sums(1);
            const bool equal_spins = lattice->spins() == spins,
                       equal_sums = lattice->sums() == sums && series.front() == sums;
            CHECK(mine.maximum(equal_spins ? 0 : 1) == 0);
            CHECK(mine.maximum(equal_sums ? 0 : 1) == 0);
        });
    }
}

}  // namespace

TEST_CASE("ranks on GPUs that share a large lattice leave the spins and sums of the CPU, with tiles, too") {
    check_ranks({.model = model(3, true), .L = 32, .beta = 0.5}, {2, 3, 4});
    check_ranks({.model = model(3, false), .L = 96, .beta = 0.22}, {2, 5});
    check_ranks({.model = model(3, true), .L = 128, .beta = 0.8, .realization = 35, .replica = 1, .slot = 2},
                {3});
    check_ranks({.model = model(3, true), .L = 64, .beta = 0.5, .tile = 2, .hits = 3}, {3, 4});
    check_ranks({.model = model(3, false), .L = 128, .beta = 0.22, .tile = 8, .hits = 2}, {2});
    check_ranks({.model = model(3, true), .L = 96, .beta = 0.5, .tile = 4, .hits = 2}, {2, 3});  // odd boxes
    for (const double field : {0.0, 0.4})
        for (const Update update : {Update::metropolis, Update::heat_bath}) {
            LargeLatticeSetup setup{.model = model(3, true), .L = 64, .beta = 0.4};
            setup.model.field = field;
            setup.model.update = update;
            check_ranks(setup, {2, 3});
        }
}

TEST_CASE("lanes = sites: slabs on GPUs have the bits of whole lattices on the CPU") {
    reference::Case glass = reference::site_cases()[1], field = glass;
    const reference::Case square = reference::site_cases()[0];
    REQUIRE(glass.world.dimension == 3);
    REQUIRE(square.world.dimension == 2);
    field.world.field = 0.4;
    field.world.replicas = 4;
    for (const reference::Case& which : {glass, field, square}) {
        const auto wanted = run_library(which, {.backend = "cpu"});
        for (const int slabs : {2, 3, 4}) {
            const BackendChoice choice{.backend = "cuda", .kernel = "streaming", .halo = "host"};
            const std::string text =
                difference(which, run_library(which, choice, {SiteOrder::standard, slabs}), wanted);
            CHECK_MESSAGE(text.empty(), text);
        }
    }
}

TEST_CASE("ranks on GPUs that share rows of a large square leave the spins and sums of the CPU") {
    for (const std::string halo : {"host", "peer"}) {
        for (const bool glass : {false, true}) {
            check_ranks({.model = model(2, glass), .L = 64, .beta = 0.5}, {2, 3, 4}, halo);
            check_ranks({.model = model(2, glass), .L = 192, .beta = 0.5, .realization = 35, .slot = 2},
                        {2, 5}, halo);
            check_ranks({.model = model(2, glass), .L = 4096, .beta = 0.44}, {2, 3, 4}, halo);
            check_ranks({.model = model(2, glass), .L = 256, .beta = 0.5, .tile = 4, .hits = 3}, {2, 3, 4},
                        halo);
            check_ranks({.model = model(2, glass), .L = 2048, .beta = 0.5, .tile = 32, .hits = 2}, {2, 4},
                        halo);
            check_ranks({.model = model(2, glass), .L = 192, .beta = 0.5, .tile = 4}, {2, 3}, halo);
        }
        LargeLatticeSetup field{.model = model(2, true), .L = 128, .beta = 0.4};
        field.model.field = 0.4;
        check_ranks(field, {2, 3, 4}, halo);
    }
}

TEST_CASE("ranks with a GPU each write halos of large lattices themselves, in three dimensions, too" *
          doctest::test_suite("two GPUs")) {
    for (const bool glass : {false, true}) {
        check_ranks({.model = model(3, glass), .L = 32, .beta = 0.5}, {2, 3, 4}, "peer");
        check_ranks({.model = model(3, glass), .L = 128, .beta = 0.3}, {2, 3}, "peer");
        check_ranks({.model = model(3, glass), .L = 96, .beta = 0.5, .tile = 4, .hits = 2}, {2, 3}, "peer");
    }
}

TEST_CASE("ranks that share a GPU do not write halos of large lattices themselves") {
    with_local_ranks(2, [](Ranks& ranks) {
        const LargeLatticeSetup setup{.model = model(2, true), .L = 64};
        CHECK_THROWS_AS(make_large_lattice({.backend = "cuda", .halo = "peer"}, setup, ranks),
                        EnvironmentError);
        CHECK_THROWS_AS(make_large_lattice({.backend = "cuda", .halo = "mpi"}, setup, ranks),
                        EnvironmentError);
        CHECK_THROWS_AS(make_large_lattice({.backend = "cuda", .halo = "wire"}, setup, ranks), InputError);
        const auto lattice = make_large_lattice({.backend = "cuda"}, setup, ranks);
        CHECK(lattice->device().ends_with(", halos by host"));
    });
}

TEST_CASE("the plain checkerboard of one large lattice has the spins and sums of the CPU") {
    for (const bool glass : {false, true}) {
        for (const double beta : {0.0, 0.1, 0.44, 0.9, 2.0})
            check_equal({.model = model(2, glass), .L = 64, .beta = beta, .realization = 33}, 9);
        for (const int L : {192, 1024, 4096})
            check_equal({.model = model(2, glass), .L = L, .beta = 0.44, .replica = 2, .slot = 3}, 2);
        for (const double beta : {0.05, 0.22, 0.8})
            check_equal({.model = model(3, glass), .L = 32, .beta = beta}, 9);
        for (const int L : {96, 256}) check_equal({.model = model(3, glass), .L = L, .beta = 0.3}, 2);
    }
}

TEST_CASE("sweeps of enough words to give every thread all of a position have the spins of the CPU") {
    check_equal({.model = model(2, false), .L = 8192, .beta = 0.44}, 1);
    check_equal({.model = model(3, true), .L = 384, .beta = 0.3}, 1);
}

TEST_CASE("fields and heat baths of one large lattice have the spins and sums of the CPU") {
    for (const bool glass : {false, true})
        for (const double field : {0.0, 0.4})
            for (const Update update : {Update::metropolis, Update::heat_bath})
                for (const int dimension : {2, 3}) {
                    LargeLatticeSetup setup{
                        .model = model(dimension, glass), .L = 128, .beta = 0.4, .slot = 2};
                    setup.model.field = field;
                    setup.model.update = update;
                    check_equal(setup, 3);
                }
}

TEST_CASE("large lattices with demons have the spins and sums of the CPU") {
    const auto demons = [](int dimension, bool glass, int sites) {
        Model with = model(dimension, glass);
        with.update = Update::demon;
        with.demon_sites = sites;
        return with;
    };
    for (const bool glass : {false, true}) {
        for (const int sites : {1, 3, 16, 256}) {
            for (const double beta : {0.0, 0.1, 0.44, 2.0})
                check_equal({.model = demons(2, glass, sites), .L = 64, .beta = beta, .realization = 33}, 3);
            for (const double beta : {0.05, 0.8})
                check_equal({.model = demons(3, glass, sites), .L = 32, .beta = beta, .slot = 3}, 3);
        }
        check_equal({.model = demons(2, glass, 16), .L = 64, .beta = 0.44}, 150);  // graphs
        // Chains that do not divide the subdomains: 8 + 8 + 4 rows, 8 + 4 planes.
        check_equal({.model = demons(2, glass, 8), .L = 320, .beta = 0.44, .replica = 2}, 4);
        check_equal({.model = demons(3, glass, 192), .L = 96, .beta = 0.3}, 2);
        check_equal({.model = demons(2, glass, 16), .L = 1024, .beta = 0.44}, 3, "4x16");
        check_equal({.model = demons(2, glass, 16), .L = 1024, .beta = 0.44}, 3, "1x16");
        check_equal({.model = demons(3, glass, 16), .L = 128, .beta = 0.3}, 3, "4x8");
        check_equal({.model = demons(3, glass, 16), .L = 128, .beta = 0.3}, 3, "1x8");
        check_equal({.model = demons(2, glass, 16), .L = 8192, .beta = 0.44}, 1);
        check_equal({.model = demons(3, glass, 32), .L = 256, .beta = 0.3}, 1);
        check_batch({.model = demons(2, glass, 16), .L = 128, .beta = 0.5}, 3);
        check_batch({.model = demons(2, glass, 8), .L = 320, .beta = 0.5}, 2, "4x8");
        check_batch({.model = demons(3, glass, 16), .L = 32, .beta = 0.5}, 3);
        check_batch({.model = demons(3, glass, 16), .L = 64, .beta = 0.3}, 2);
    }
    CHECK_THROWS_AS(
        make_large_lattice({.backend = "cuda", .kernel = "4x8"}, {.model = demons(2, true, 16), .L = 1024}),
        InputError);
}

TEST_CASE("tiles that are updated several times have the spins and sums of the CPU") {
    for (const bool glass : {false, true})
        for (const int hits : {1, 2, 5}) {
            for (const int tile : {2, 4, 8, 16, 32, 64})
                check_equal({.model = model(2, glass), .L = 2048, .beta = 0.44, .tile = tile, .hits = hits},
                            1);
            check_equal({.model = model(2, glass), .L = 128, .beta = 0.8, .tile = 4, .hits = hits}, 4);
            for (const int tile : {2, 4, 8})
                check_equal({.model = model(3, glass), .L = 128, .beta = 0.3, .tile = tile, .hits = hits}, 1);
        }
}

TEST_CASE("tiles in other orders have the spins and sums of the CPU") {
    for (const TileOrder order : {TileOrder::alternating, TileOrder::reversed}) {
        for (const bool glass : {false, true}) {
            for (const int tile : {2, 4, 16, 64})
                check_equal({.model = model(2, glass),
                             .L = 2048,
                             .beta = 0.44,
                             .tile = tile,
                             .hits = 3,
                             .tile_order = order},
                            3);
            for (const int tile : {4, 8})
                check_equal({.model = model(3, glass),
                             .L = 64,
                             .beta = 0.3,
                             .tile = tile,
                             .hits = 2,
                             .tile_order = order},
                            3);
            check_batch(
                {.model = model(2, glass), .L = 128, .beta = 0.4, .tile = 4, .hits = 3, .tile_order = order},
                3);
            check_ranks(
                {.model = model(3, glass), .L = 64, .beta = 0.5, .tile = 2, .hits = 3, .tile_order = order},
                {2, 3});
        }
        for (const std::string kernel : {"1x1", "4x1"})  // steps of a graph
            check_equal(
                {.model = model(2, true), .L = 128, .beta = 0.7, .tile = 4, .hits = 3, .tile_order = order},
                150, kernel);
    }
}

TEST_CASE("steps of a graph have the spins and sums of the CPU") {
    const int steps = 150;
    for (const std::string kernel : {"1x1", "4x1"}) {
        check_equal({.model = model(2, false), .L = 64, .beta = 0.44}, steps, kernel);
        check_equal({.model = model(3, true), .L = 32, .beta = 0.7, .replica = 1, .slot = 2}, steps, kernel);
        check_equal({.model = model(2, true), .L = 128, .beta = 0.7, .tile = 4, .hits = 3}, steps, kernel);
    }
    const LargeLatticeSetup setup{.model = model(2, true), .L = 64, .beta = 0.5};
    const auto host = make_large_lattice({.backend = "cpu"}, setup),
               device = make_large_lattice({.backend = "cuda"}, setup);
    for (const auto& lattice : {host.get(), device.get()}) {
        lattice->advance(steps);
        lattice->set_temperature(5, 0.8);
        lattice->set_step(1000);
        lattice->advance(steps);
    }
    CHECK(host->spins() == device->spins());
}

TEST_CASE("lanes = sites: simulations on the GPU equal the naive reference bit for bit") {
    for (const auto& which : reference::site_cases()) {
        const auto found = run_library(which, {.backend = "cuda", .kernel = "streaming"});
        const std::string text = difference(which, found, expected(which));
        CHECK_MESSAGE(text.empty(), text);
    }
}

TEST_CASE("threads with four, two and one word of a position have the spins of the CPU") {
    for (const std::string kernel : {"1x1", "2x1", "4x1"})
        for (const bool glass : {false, true}) {
            if (kernel != "2x1") check_equal({.model = model(2, glass), .L = 256, .beta = 0.44}, 3, kernel);
            for (const int tile : {2, 4, 8, 16})
                check_equal({.model = model(2, glass), .L = 512, .beta = 0.44, .tile = tile, .hits = 3}, 1,
                            kernel);
            for (const int tile : {2, 8})
                check_equal({.model = model(3, glass), .L = 128, .beta = 0.3, .tile = tile, .hits = 2}, 1,
                            kernel);
        }
}

TEST_CASE("lattices of a batch have the spins and sums of the CPU, also where they change places") {
    for (const bool glass : {false, true}) {
        for (const int L : {64, 192, 256})
            check_batch({.model = model(2, glass), .L = L, .beta = 0.4}, L == 64 ? 70 : 3);
        for (const int L : {32, 64, 96}) check_batch({.model = model(3, glass), .L = L, .beta = 0.3}, 3);
        for (const std::string kernel : {"1x1", "4x1", "1x2", "4x4"})
            check_batch({.model = model(2, glass), .L = 128, .beta = 0.4}, 3, kernel);
        for (const double beta : {0.0, 0.05, 2.0})
            check_batch({.model = model(3, glass), .L = 32, .beta = beta}, 5);
    }
    check_batch({.model = model(2, true), .L = 1024, .beta = 0.5}, 2);
}

TEST_CASE("lattices of a batch in fields and with the heat bath have the spins and sums of the CPU") {
    for (const double field : {0.0, 0.4})
        for (const Update update : {Update::metropolis, Update::heat_bath})
            for (const int dimension : {2, 3}) {
                if (field == 0 && update == Update::metropolis) continue;
                LargeLatticeSetup setup{.model = model(dimension, true), .L = 64, .beta = 0.4};
                setup.model.field = field;
                setup.model.update = update;
                check_batch(setup, 3);
            }
}

TEST_CASE("lattices of a batch in tiles have the spins and sums of the CPU") {
    for (const bool glass : {false, true})
        for (const std::string kernel : {"auto", "1x1", "2x1", "4x1"}) {
            for (const int tile : {2, 4, 8})  // 8: boxes of an odd number of tiles
                check_batch({.model = model(2, glass), .L = 128, .beta = 0.4, .tile = tile, .hits = 3}, 2,
                            kernel);
            check_batch({.model = model(3, glass), .L = 64, .beta = 0.3, .tile = 4, .hits = 2}, 2, kernel);
        }
    check_batch({.model = model(2, true), .L = 1024, .beta = 0.5, .tile = 32, .hits = 2}, 1);
}

TEST_CASE("tiles of which boxes have an odd number have the spins and sums of the CPU") {
    for (const bool glass : {false, true}) {
        check_equal({.model = model(2, glass), .L = 64, .beta = 0.44, .tile = 4, .hits = 3}, 3);
        check_equal({.model = model(2, glass), .L = 128, .beta = 0.44, .tile = 8, .hits = 2}, 3);
        check_equal({.model = model(2, glass), .L = 1024, .beta = 0.44, .tile = 64, .hits = 2}, 1);
        check_equal({.model = model(3, glass), .L = 32, .beta = 0.3, .tile = 4, .hits = 2}, 2);
        check_equal({.model = model(3, glass), .L = 64, .beta = 0.3, .tile = 8, .hits = 2}, 2);
    }
}

TEST_CASE("a start with all spins up, and spins that are set") {
    const LargeLatticeSetup setup{.L = 64, .start_up = true};
    const auto lattice = make_large_lattice({.backend = "cuda"}, setup);
    CHECK(lattice->sums() == LatticeSums{-2 * 64 * 64, 64 * 64});
    std::vector<std::int8_t> spins(64 * 64);
    for (std::size_t i = 0; i < spins.size(); ++i) spins[i] = i * i % 7 < 3 ? 1 : -1;
    lattice->set_spins(spins);
    CHECK(lattice->spins() == spins);
}
