#include <doctest/doctest.h>

#include <cmath>

#include "evolution/move_sampler.hpp"
#include "model/thresholds.hpp"
#include "reference/cases.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

World world_with(std::vector<double> temperatures, int share = 32, std::int64_t realizations = 200) {
    World world;
    world.seed = 31415;
    world.replicas = 2;
    world.temperatures = std::move(temperatures);
    world.share = share;
    world.realizations = realizations;
    return world;
}

}  // namespace

TEST_CASE("exchange thresholds are round(2^32 exp(-(beta_cold - beta_hot) d)) for d = 4, 8, ...") {
    for (auto [cold, hot] : {std::pair{1.25, 1.0}, {2.0, 0.5}, {0.91, 0.9}, {0.5, 0.01}})
        for (std::int64_t sites : {64, 4096}) {
            const auto table = exchange_thresholds(cold, hot, sites);
            REQUIRE(table.size() > 1);
            for (std::size_t i = 1; i < table.size(); ++i)
                REQUIRE(table[i] ==
                        std::llround(4294967296.0 * std::exp(-(cold - hot) * 4.0 * static_cast<double>(i))));
            // "never beyond the end of the table" must lose nothing: the end is 0 or the largest possible
            // difference 6 N
            const bool complete =
                table.back() == 0 || 4 * (table.size() - 1) >= static_cast<std::size_t>(6 * sites) ||
                std::exp(-(cold - hot) * 4.0 * static_cast<double>(table.size())) * 4294967296.0 < 0.5;
            CHECK(complete);
        }
}

TEST_CASE("the initial state: walker = slot, nothing counted") {
    const World world = world_with({0.5, 1.0, 2.0});
    const TemperingState state = initial_tempering(shape_of(world));
    REQUIRE(state.walker.size() == 200 * 2 * 3);
    for (std::size_t i = 0; i < state.walker.size(); ++i) CHECK(state.walker[i] == i % 3);
    CHECK(state.last_end == std::vector<std::uint8_t>(200 * 2 * 3, 0));
    CHECK(state.accepted == std::vector<std::int64_t>(200 * 2 * 2, 0));
    CHECK(state.attempted == std::vector<std::int64_t>(2, 0));
    CHECK(state.round_trips == std::vector<std::int64_t>(200 * 2, 0));
}

TEST_CASE("energies are -sum J s s, at every SIMD level") {
    for (const std::string& level : simd_levels())
        for (int L : {4, 6, 10, 12}) {
            const ForceSimd force(level);
            World world = world_with({0.5, 0.7, 1.0, 1.5, 2.0}, 1, L == 4 ? 200 : 96);
            world.L = L;
            const auto bonds = couplings(world);
            auto ensemble =
                make_ising_ensemble({{"cpu", 1, 0}, shape_of(world), betas_of(world), world.seed, bonds});
            std::vector<std::int8_t> spins;
            std::vector<std::int32_t> wanted(world.replicas * world.slots() * world.realizations);
            for (std::int64_t r = 0; r < world.realizations; ++r) {
                Realization one(world, r, bonds.data() + r * 3 * world.sites());
                one.random_start();
                for (int replica = 0; replica < world.replicas; ++replica)
                    for (int t = 0; t < world.slots(); ++t) {
                        for (int site = 0; site < world.sites(); ++site)
                            spins.push_back(static_cast<std::int8_t>(one.spin(replica, t, site)));
                        wanted[(replica * world.slots() + t) * world.realizations + r] =
                            one.energy(replica, t);
                    }
            }
            ensemble->set_spins(words_of_spins(world, spins));
            ensemble->compute_energies();
            CHECK(ensemble->energies() == wanted);
            CHECK(spins_of_words(world, ensemble->spins()) == spins);
        }
}

TEST_CASE("energies of large ordered lattices do not overflow a counter") {
    for (const std::string& level : simd_levels())
        for (int L : {32, 64}) {
            const ForceSimd force(level);
            World world = world_with({0.5}, 128, 128);
            world.replicas = 1;
            world.L = L;
            const std::int32_t ground = -3 * L * L * L;
            for (int sign : {+1, -1}) {
                const std::vector<std::int8_t> bonds(world.realizations * 3 * world.sites(),
                                                     static_cast<std::int8_t>(sign));
                auto ensemble =
                    make_ising_ensemble({{"cpu", 2, 0}, shape_of(world), betas_of(world), 1, bonds});
                ensemble->compute_energies();
                CHECK(ensemble->energies() == std::vector<std::int32_t>(world.realizations, sign * ground));
            }
        }
}

TEST_CASE("a round trip is cold -> hot -> cold") {
    // Two slots at nearly the same temperature change places at every attempt, so the walkers are known.
    World world = world_with({1.0, 1.0000000001}, 32, 32);
    const auto bonds = couplings(world);
    const auto sampler =
        make_ising_sampler({{"cpu", 1, 0}, shape_of(world), betas_of(world), world.seed, bonds, 1});
    const auto round_trips_at = [&](std::int64_t completed) {
        sampler->advance(completed - 1, completed);
        return sampler->tempering().round_trips;
    };
    const auto all = [](std::int64_t trips) { return std::vector<std::int64_t>(64, trips); };
    // At even counts the pair (0, 1) is tried: walker 0 goes up, 1 comes down; 1 has not been cold before.
    CHECK(round_trips_at(2) == all(0));
    CHECK(round_trips_at(4) == all(0));  // 0 is back, but nobody saw it at the cold end before; 1 goes up
    CHECK(round_trips_at(6) == all(1));  // 1 is back: cold -> hot -> cold
    CHECK(round_trips_at(7) == all(1));  // odd count: no pair, nothing moves
    CHECK(round_trips_at(8) == all(2));  // 0 is back
    CHECK(sampler->tempering().attempted == std::vector<std::int64_t>{4});
    CHECK(sampler->tempering().accepted == all(4));
}

TEST_CASE("the case list counts round trips, refuses and accepts exchanges") {
    std::int64_t trips = 0;
    for (const Case& which : equality_cases()) {
        if (which.world.slots() != 3 || which.world.L != 4) continue;
        const TemperingState& state = expected(which).tempering;
        std::int64_t accepted = 0;
        for (std::int64_t n : state.accepted) accepted += n;
        for (std::int64_t n : state.round_trips) trips += n;
        const std::int64_t attempts =
            (state.attempted[0] + state.attempted[1]) * which.world.realizations * which.world.replicas;
        CHECK(accepted > attempts / 10);
        CHECK(accepted < attempts * 95 / 100);
    }
    CHECK(trips > 100);
}
