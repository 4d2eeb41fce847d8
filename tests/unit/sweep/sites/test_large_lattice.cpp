#include <doctest/doctest.h>

#include <optional>
#include <tuple>

#include "../../messages.hpp"
#include "base/error.hpp"
#include "lattice/packing.hpp"
#include "naive_lattice.hpp"
#include "reference/cases.hpp"
#include "slab/ranks.hpp"
#include "word/simd_level.hpp"

using namespace psflip;
using psflip::test::message_of;
using psflip::test::NaiveLattice;

namespace {

constexpr Model ferromagnet(int dimension) {
    return {.kind = ModelKind::ferromagnet, .dimension = dimension};
}
constexpr Model glass(int dimension) {
    return {.dimension = dimension, .p_ferro = dimension == 2 ? 0.5 : 0.7};
}

void check_equal(const LargeLatticeSetup& setup, int steps) {
    std::optional<NaiveLattice> naive;
    for (const auto& [level, threads] : {std::pair{SimdLevel::scalar, 3},
                                         {SimdLevel::avx2, 2},
                                         {SimdLevel::avx512, 3},
                                         {SimdLevel::scalar, 1}}) {
        if (!processor_has(level)) continue;
        const reference::ForceSimd in_use(name(level));
        const std::string what = std::to_string(setup.model.dimension) + "D, L = " + std::to_string(setup.L) +
                                 ", " + name(setup.model.kind) + ", tile " + std::to_string(setup.tile) +
                                 ", " + std::to_string(setup.hits) + " hits, " + name(level) +
                                 ", threads: " + std::to_string(threads);
        CAPTURE(what);
        const auto lattice = make_large_lattice({.backend = "cpu", .threads = threads}, setup);
        if (!naive) {
            naive.emplace(setup, lattice->spins());
            for (int i = 0; i < steps; ++i) naive->step();
        }
        lattice->advance(steps - 1);
        const auto series = lattice->advance_with_sums(1);
        REQUIRE(lattice->spins() == naive->spins());
        CHECK(series.back() == naive->sums());
        CHECK(lattice->sums() == naive->sums());
    }
}

/// Compares ranks that share a lattice with one rank, for all instruction sets.
void check_ranks(const LargeLatticeSetup& setup, std::initializer_list<int> numbers) {
    CAPTURE(setup.model.dimension);
    CAPTURE(setup.L);
    CAPTURE(setup.tile);
    const auto alone = make_large_lattice({.backend = "cpu", .threads = 1}, setup);
    alone->advance(3);
    const auto spins = alone->spins();
    const LatticeSums sums = alone->sums();  // not by the ranks: a lattice serves one thread at a time
    for (const SimdLevel level : {SimdLevel::scalar, SimdLevel::avx2, SimdLevel::avx512}) {
        if (!processor_has(level)) continue;
        const reference::ForceSimd in_use(name(level));
        for (const int ranks : numbers)
            with_local_ranks(ranks, [&](Ranks& mine) {
                const auto lattice =
                    make_large_lattice({.backend = "cpu", .threads = 1 + mine.rank()}, setup, mine);
                lattice->advance(2);
                lattice->advance(1);
                const bool equal_sums = lattice->sums() == sums,
                           equal = lattice->spins() == spins && equal_sums;
                CHECK(mine.maximum(equal ? 0 : 1) == 0);
            });
    }
}

}  // namespace

TEST_CASE("threads that share a lattice leave the clusters of one thread, and their sums") {
    const auto updated = [](int dimension, int L, double beta, int wolff_clusters, int threads) {
        Model model = ferromagnet(dimension);
        model.update = wolff_clusters > 0 ? Update::wolff : Update::swendsen_wang;
        model.wolff_clusters = wolff_clusters;
        const auto lattice = make_large_lattice({.backend = "cpu", .threads = threads},
                                                {.model = model, .L = L, .beta = beta});
        ClusterSums sums;
        lattice->sum_clusters(&sums);
        lattice->advance(3);
        return std::pair(lattice->spins(), sums);
    };
    for (const auto& [dimension, L, beta] :
         {std::tuple{2, 64, 0.3}, {2, 64, 5.0}, {2, 64, 0.44}, {2, 192, 0.43}, {3, 32, 0.22}, {3, 64, 0.2}})
        for (const int wolff_clusters : {0, 2}) {
            CAPTURE(L);
            CAPTURE(beta);
            const auto alone = updated(dimension, L, beta, wolff_clusters, 1);
            CHECK((alone.second == ClusterSums{}) == (wolff_clusters > 0));
            for (const int threads : {2, 3, 7, 16})
                CHECK(updated(dimension, L, beta, wolff_clusters, threads) == alone);
        }
}

TEST_CASE("ranks that share a large lattice leave the spins and sums of one, with tiles, too") {
    check_ranks({.model = glass(3), .L = 32, .beta = 0.5}, {2, 3, 4});
    check_ranks({.model = ferromagnet(3), .L = 96, .beta = 0.22}, {5});
    check_ranks({.model = glass(3), .L = 64, .beta = 0.5, .tile = 2, .hits = 3}, {3, 4});
    check_ranks({.model = glass(3), .L = 96, .beta = 0.5, .tile = 4, .hits = 2}, {2, 3});  // odd subdomains
    CHECK_THROWS_AS(check_site_ranks({3, 64}, 4, 3), InputError);
    CHECK_THROWS_AS(check_site_ranks({3, 32}, 0, 5), InputError);
}

TEST_CASE("ranks with rows of one large square leave the spins and sums of one rank") {
    check_ranks({.model = glass(2), .L = 64, .beta = 1.0}, {1, 2, 3, 4});           // 4 rows of local indices
    check_ranks({.model = ferromagnet(2), .L = 192, .beta = 0.44}, {2, 5, 7, 12});  // also of one row
    check_ranks({.model = glass(2), .L = 128, .beta = 0.8, .tile = 2, .hits = 3}, {2, 3, 4});
    check_ranks({.model = ferromagnet(2), .L = 192, .beta = 0.44, .tile = 4, .hits = 2}, {2, 3});  // 3 layers
    check_ranks({.model = glass(2), .L = 256, .beta = 0.8, .tile = 8, .hits = 1}, {1, 2});
    for (const double field : {0.0, 0.3})
        for (const Update update : {Update::metropolis, Update::heat_bath}) {
            LargeLatticeSetup setup{.model = glass(2), .L = 192, .beta = 0.7, .realization = 5, .slot = 2};
            setup.model.field = field;
            setup.model.update = update;
            check_ranks(setup, {3, 5});
        }
    CHECK_THROWS_AS(check_site_ranks({2, 64}, 0, 5), InputError);
    CHECK_THROWS_AS(check_site_ranks({2, 192}, 4, 4), InputError);
}

TEST_CASE("the plain checkerboard of one large lattice equals a naive one with the same numbers") {
    for (const Model& model : {ferromagnet(2), glass(2)})
        for (const int L : {64, 128}) check_equal({.model = model, .L = L, .beta = 0.44}, 6);
    check_equal({.model = glass(2), .L = 64, .beta = 1.5, .realization = 77, .replica = 3, .slot = 9}, 12);
    for (const Model& model : {ferromagnet(3), glass(3)})
        check_equal({.model = model, .L = 32, .beta = 0.22, .seed = 5, .realization = 5}, 4);
    check_equal({.model = ferromagnet(3), .L = 64, .beta = 0.3}, 1);
}

TEST_CASE("tiles that are updated several times equal naive ones") {
    for (const int hits : {1, 3}) {
        check_equal({.model = ferromagnet(2), .L = 64, .beta = 0.44, .tile = 2, .hits = hits}, 3);
        check_equal({.model = glass(2), .L = 128, .beta = 0.8, .tile = 4, .hits = hits}, 2);
        check_equal({.model = glass(2), .L = 256, .beta = 0.8, .tile = 8, .hits = hits}, 1);
        check_equal({.model = glass(3), .L = 32, .beta = 0.8, .tile = 2, .hits = hits}, 2);
    }
    check_equal({.model = ferromagnet(3), .L = 64, .beta = 0.22, .tile = 4, .hits = 2}, 1);
    check_equal({.model = ferromagnet(2), .L = 512, .beta = 0.44, .tile = 16, .hits = 2}, 1);
}

TEST_CASE("tiles in other orders equal naive ones") {
    for (const TileOrder order : {TileOrder::alternating, TileOrder::reversed}) {
        const int hits = 3;
        check_equal(
            {.model = ferromagnet(2), .L = 64, .beta = 0.44, .tile = 2, .hits = hits, .tile_order = order},
            3);
        check_equal({.model = glass(2), .L = 128, .beta = 0.8, .tile = 8, .hits = hits, .tile_order = order},
                    3);
        check_equal({.model = glass(3), .L = 32, .beta = 0.8, .tile = 2, .hits = hits, .tile_order = order},
                    2);
        check_ranks({.model = glass(3), .L = 64, .beta = 0.5, .tile = 2, .hits = 2, .tile_order = order},
                    {3});
    }
}

TEST_CASE("tiles of which subdomains have an odd number equal naive ones") {
    check_equal({.model = ferromagnet(2), .L = 64, .beta = 0.44, .tile = 4, .hits = 3}, 3);
    check_equal({.model = glass(2), .L = 128, .beta = 0.8, .tile = 8, .hits = 2}, 2);
    check_equal({.model = ferromagnet(2), .L = 192, .beta = 0.44, .tile = 4, .hits = 2}, 2);
    check_equal({.model = glass(3), .L = 32, .beta = 0.8, .tile = 4, .hits = 2}, 2);
    check_equal({.model = ferromagnet(3), .L = 64, .beta = 0.22, .tile = 8, .hits = 2}, 1);
    check_equal({.model = ferromagnet(3), .L = 96, .beta = 0.22, .tile = 4, .hits = 1}, 1);
}

TEST_CASE("fields and heat baths of one large lattice equal naive ones") {
    for (Model model : {ferromagnet(2), glass(2), glass(3)}) {
        const int L = model.dimension == 3 ? 32 : 64;
        model.update = Update::heat_bath;
        check_equal({.model = model, .L = L, .beta = 0.6}, 3);
        model.field = 0.3;
        check_equal({.model = model, .L = L, .beta = 0.6, .tile = 2, .hits = 2}, 2);
        model.update = Update::metropolis;
        check_equal({.model = model, .L = L, .beta = 0.6}, 3);
    }
}

TEST_CASE("the random start is that of the realization in every other coding") {
    const LargeLatticeSetup setup{
        .model = glass(2), .L = 64, .seed = 9, .realization = 101, .replica = 1, .slot = 2};
    const Shape shape{
        .L = 64, .replicas = 2, .temperatures = 3, .realizations = 128, .share = 128, .dimension = 2};
    const auto all = random_spins(shape, setup.model.random_key(setup.seed, setup.L));
    const auto found = make_large_lattice({.backend = "cpu", .threads = 1}, setup)->spins();
    const std::size_t sites = 64 * 64, lattice = (std::size_t{1} * 3 + 2) * 2 + 101 / 64;
    for (std::size_t site = 0; site < sites; ++site)
        REQUIRE((found[site] > 0) == (all[lattice * sites + site] >> 101 % 64 & 1));
}

TEST_CASE("spins that are set are given back, and start up where asked for") {
    const LargeLatticeSetup setup{.L = 64, .start_up = true};
    const auto lattice = make_large_lattice({.backend = "cpu", .threads = 1}, setup);
    CHECK(lattice->sums() == LatticeSums{-2 * 64 * 64, 64 * 64});
    std::vector<std::int8_t> spins(64 * 64);
    for (std::size_t i = 0; i < spins.size(); ++i) spins[i] = i * i % 7 < 3 ? 1 : -1;
    lattice->set_spins(spins);
    CHECK(lattice->spins() == spins);
    CHECK(lattice->sums() == NaiveLattice(setup, spins).sums());
}

TEST_CASE("setups of a large lattice that do not fit are refused") {
    const auto refused = [](const LargeLatticeSetup& setup) {
        return message_of<InputError>([&] { check_large_lattice(setup); });
    };
    CHECK(refused({.L = 128, .tile = 16, .hits = 2}) ==
          "tiles of edge 16 do not fit into subdomains of 16 x 8, which need whole tiles along each axis; "
          "use 2, 4, 8");
    CHECK(refused({.L = 64, .tile_order = TileOrder::alternating}) ==
          "an order of tiles needs tiles; use the order fixed with the plain checkerboard");
    CHECK(refused({.L = 64, .hits = 2}) == "2 hits need tiles; use 1 hit with the plain checkerboard");
    CHECK(refused({.L = 64, .tile = 2, .hits = 0}) == "0 hits of a tile are not possible; use at least 1");
    CHECK(refused({.L = 64, .replica = 8}).find("replica 8") != std::string::npos);
    CHECK(refused({.model = {.p_absent = 0.1}, .L = 64}).find("absent") != std::string::npos);
    CHECK(refused({.L = 64, .beta = -1}).find("beta = -1") != std::string::npos);
    Model demons{.dimension = 2, .update = Update::demon, .demon_sites = 16};
    CHECK_NOTHROW(check_large_lattice({.model = demons, .L = 64}));
    CHECK(refused({.model = demons, .L = 64, .tile = 2}).find("use 0, the plain checkerboard") !=
          std::string::npos);
    with_local_ranks(2, [&](Ranks& ranks) {
        CHECK_THROWS_AS(make_large_lattice({.backend = "cpu"}, {.model = demons, .L = 64}, ranks),
                        InputError);
    });
    Model clusters = ferromagnet(2);
    clusters.update = Update::swendsen_wang;
    CHECK(refused({.model = clusters, .L = 64, .tile = 2}).find("use 0, no tiles") != std::string::npos);
    with_local_ranks(2, [&](Ranks& ranks) {
        CHECK_THROWS_AS(make_large_lattice({.backend = "cpu"}, {.model = clusters, .L = 64}, ranks),
                        InputError);
    });
    demons.demon_sites = 257;
    CHECK(refused({.model = demons, .L = 64}).find("use 1 to 256") != std::string::npos);
    demons = {.dimension = 2, .field = 0.1, .update = Update::demon, .demon_sites = 16};
    CHECK(refused({.model = demons, .L = 64}).find("a field") != std::string::npos);
}

TEST_CASE("lattices made together need every replica and slot") {
    const auto made = [](std::vector<std::uint32_t> slots) {
        std::vector<LargeLatticeSetup> setups(slots.size(), {.model = ferromagnet(2), .L = 64, .beta = 0.4});
        for (std::size_t i = 0; i < slots.size(); ++i) setups[i].slot = slots[i];
        return make_large_lattices({.backend = "cpu"}, setups).size();
    };
    CHECK(made({0, 1, 2}) == 3);
    CHECK(made({2}) == 1);
    for (const std::vector<std::uint32_t>& wrong : {std::vector<std::uint32_t>{1, 2}, {0, 2}})
        CHECK_THROWS_AS(made(wrong), InputError);
}
