#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "lattice/packing.hpp"
#include "random/philox.hpp"
#include "reference/cases.hpp"

using namespace psflip;

namespace {

reference::World world_of(int L, std::int64_t realizations, int replicas, int temperatures,
                          std::int64_t first = 0) {
    reference::World world;
    world.seed = 77;
    world.L = L;
    world.replicas = replicas;
    world.temperatures.clear();
    for (int t = 0; t < temperatures; ++t) world.temperatures.push_back(0.5 + 0.1 * t);
    world.share = 32;
    world.first_realization = first;
    world.realizations = realizations;
    return world;
}

}  // namespace

TEST_CASE("site orders are bijections, red sites first, neighbours in the planes that they promise") {
    for (int L : {4, 6, 8, 10, 16})
        for (SiteOrder order : {SiteOrder::standard, SiteOrder::bitwise, SiteOrder::sliced}) {
            const HeldLattice held{L, L, order};
            std::set<std::int64_t> seen;
            for (int z = 0; z < L; ++z)
                for (int y = 0; y < L; ++y)
                    for (int x = 0; x < L; ++x) {
                        const Coordinates at = to_order(order, L, {x, y, z}),
                                          back = held.site(at.x, at.y, at.z);
                        REQUIRE((back.x == x && back.y == y && back.z == z));
                        const std::int64_t i = held.index(at.x, at.y, at.z), colour = (x + y + z) % 2;
                        REQUIRE((i >= 0 && i < L * L * L));
                        REQUIRE(i / (L * L * L / 2) == colour);
                        const auto plane = held.plane_begin(static_cast<int>(colour), at.z);
                        REQUIRE((i >= plane && i < plane + held.plane_sites(static_cast<int>(colour), at.z)));
                        seen.insert(i);
                    }
            CHECK(static_cast<int>(seen.size()) == L * L * L);
        }
    // the worked example of the literature, L = 4: (x, y, z) and place within its colour
    const HeldLattice sliced{4, 4, SiteOrder::sliced};
    for (const auto& [site, place] : std::vector<std::pair<Coordinates, int>>{
             {{0, 0, 0}, 0}, {{1, 0, 0}, 13}, {{2, 1, 3}, 14}, {{3, 3, 0}, 3}, {{1, 3, 2}, 9}}) {
        const Coordinates at = to_order(SiteOrder::sliced, 4, site);
        CHECK(sliced.index(at.x, at.y, at.z) % 32 == place);
    }
}

TEST_CASE("spin words lie where the layout says and come back") {
    for (int L : {2, 4, 6, 10})
        for (std::int64_t realizations : {1, 33, 64, 65, 128, 200})
            for (int group : {1, 4}) {
                const reference::World world = world_of(L, realizations, 2, 5);
                const Shape shape = reference::shape_of(world);
                const SpinLayout layout{L, 2, 5, group};
                const auto canonical = random_spins(shape, world.seed);
                const auto words = pack_spins(shape, layout, canonical);
                REQUIRE(static_cast<std::int64_t>(words.size()) == shape.columns() * layout.column_words());
                REQUIRE(unpack_spins(shape, layout, words.data()) == canonical);
                const auto spins = reference::spins_of_words(world, canonical);
                std::int64_t ones = 0, wrong = 0;
                for (std::int64_t r = 0, i = 0; r < realizations; ++r)
                    for (int replica = 0; replica < 2; ++replica)
                        for (int t = 0; t < 5; ++t)
                            for (int z = 0; z < L; ++z)
                                for (int y = 0; y < L; ++y)
                                    for (int x = 0; x < L; ++x, ++i) {
                                        const std::int64_t at =
                                            layout.offset(r / 128, replica, t, HeldLattice{L}.index(x, y, z));
                                        const bool up = words[at + r % 128 / 64] >> (r % 64) & 1;
                                        wrong += up != (spins[i] == 1);
                                        ones += up;
                                    }
                CHECK(wrong == 0);
                std::int64_t all_ones = 0;  // padding stays 0
                for (std::uint64_t word : words) all_ones += __builtin_popcountll(word);
                CHECK(all_ones == ones);
            }
}

TEST_CASE("unpacking hides lanes beyond the last realization") {
    const Shape shape = reference::shape_of(world_of(4, 70, 1, 1));
    const SpinLayout layout{4, 1, 1, 4};
    const std::vector<std::uint64_t> all(layout.column_words(), ~std::uint64_t{0});
    const auto canonical = unpack_spins(shape, layout, all.data());
    REQUIRE(canonical.size() == 2 * 64);
    for (int site = 0; site < 64; ++site) {
        CHECK(canonical[site] == ~std::uint64_t{0});
        CHECK(canonical[64 + site] == 63);
    }
}

TEST_CASE("coupling words: bit 1 is J = -1, unused lanes are +1, anything else is refused") {
    for (int L : {4, 6})
        for (std::int64_t realizations : {32, 200}) {
            const reference::World world = world_of(L, realizations, 1, 1);
            const Shape shape = reference::shape_of(world);
            auto couplings = reference::couplings(world);
            const auto words = pack_couplings(shape, couplings);
            const CouplingLayout layout{L};
            REQUIRE(static_cast<std::int64_t>(words.size()) == shape.columns() * layout.column_words());
            std::int64_t wrong = 0, minus = 0, i = 0, ones = 0;
            for (std::int64_t r = 0; r < realizations; ++r)
                for (int direction = 0; direction < 3; ++direction)
                    for (int z = 0; z < L; ++z)
                        for (int y = 0; y < L; ++y)
                            for (int x = 0; x < L; ++x, ++i) {
                                const std::int64_t at =
                                    layout.offset(r / 128, direction, HeldLattice{L}.index(x, y, z));
                                wrong += (words[at + r % 128 / 64] >> (r % 64) & 1) !=
                                         (couplings[i] == -1 ? 1u : 0u);
                                minus += couplings[i] == -1;
                            }
            for (std::uint64_t word : words) ones += __builtin_popcountll(word);
            CHECK(wrong == 0);
            CHECK(ones == minus);
            for (int bad : {-2, 2, -128}) {
                auto broken = couplings;
                broken[broken.size() - 1] = static_cast<std::int8_t>(bad);
                CHECK_THROWS_AS(pack_couplings(shape, broken), InputError);
            }
            couplings.pop_back();
            CHECK_THROWS_AS(pack_couplings(shape, couplings), InputError);
        }
}

TEST_CASE("two dimensions are three with one plane; words of absent bonds") {
    reference::World world = world_of(6, 70, 2, 5);
    world.dimension = 2;
    world.p_absent = 0.3;
    const Shape shape = reference::shape_of(world);
    const auto couplings = reference::couplings(world);
    const auto negative = pack_couplings(shape, couplings), absent = pack_absent_bonds(shape, couplings);
    const CouplingLayout layout{6, 2};
    REQUIRE(static_cast<std::int64_t>(absent.size()) == shape.columns() * layout.column_words());
    CHECK(has_absent_bonds(couplings));
    std::int64_t wrong = 0, i = 0, ones = 0, zeros = 0;
    for (std::int64_t r = 0; r < 70; ++r)
        for (int direction = 0; direction < 2; ++direction)
            for (int y = 0; y < 6; ++y)
                for (int x = 0; x < 6; ++x, ++i) {
                    const std::int64_t at =
                        layout.offset(r / 128, direction, HeldLattice{6, 1}.index(x, y, 0)) + r % 128 / 64;
                    wrong += (negative[at] >> (r % 64) & 1) != (couplings[i] == -1 ? 1u : 0u);
                    wrong += (absent[at] >> (r % 64) & 1) != (couplings[i] == 0 ? 1u : 0u);
                    zeros += couplings[i] == 0;
                }
    for (std::uint64_t word : absent) ones += __builtin_popcountll(word);
    CHECK(wrong == 0);
    CHECK(ones == zeros);
    const SpinLayout spins{6, 2, 5, 4, 1};
    const auto canonical = random_spins(shape, 5);
    REQUIRE(static_cast<std::int64_t>(canonical.size()) == 2 * 5 * 2 * 36);
    CHECK(unpack_spins(shape, spins, pack_spins(shape, spins, canonical).data()) == canonical);
}

TEST_CASE("the random start is that of the contract, whatever the batch") {
    for (std::int64_t first : {0, 32, 96, 128, 4096})
        for (std::int64_t realizations : {1, 32, 100, 200}) {
            const reference::World world = world_of(4, realizations, 2, 3, first);
            const auto found =
                reference::spins_of_words(world, random_spins(reference::shape_of(world), world.seed));
            std::vector<std::int8_t> wanted;
            const std::vector<std::int8_t> bonds(3 * 64, 1);
            for (std::int64_t r = 0; r < realizations; ++r) {
                reference::Realization one(world, first + r, bonds.data());
                one.random_start();
                for (int replica = 0; replica < 2; ++replica)
                    for (int t = 0; t < 3; ++t)
                        for (int site = 0; site < 64; ++site)
                            wanted.push_back(static_cast<std::int8_t>(one.spin(replica, t, site)));
            }
            CHECK(found == wanted);
        }
}
