#include <doctest/doctest.h>

#include <algorithm>

#include "bench/generators/generator_list.hpp"
#include "bench/rng_curand.hpp"
#include "bench/rng_numbers.hpp"
#include "bench/stateful/ferromagnet.hpp"
#include "bench/stateful/glass.hpp"
#include "bench/stateful/temperature_words.hpp"
#include "disorder/couplings.hpp"

using namespace psflip;

namespace {

const BackendChoice cpu{.backend = "cpu", .threads = 2}, cuda{.backend = "cuda"};

std::vector<std::string> all_generators() {
    std::vector<std::string> keys;
    for_each_generator([&](auto listed) { keys.emplace_back(listed.key); });
    return keys;
}

bool is_ring(const std::string& generator) {
    bool ring = false;
    with_generator(generator, [&](auto listed) { ring = listed.ring; });
    return ring;
}

/// Returns usual layouts, and layouts that leave threads of warps, blocks and rounds without a site; for 32
/// sites or more.
std::vector<StreamLayout> layouts_of(const std::string& generator, std::uint32_t sites) {
    std::vector<StreamLayout> layouts{usual_layout(generator, sites, true), {1, 1}};
    if (is_ring(generator))
        layouts.insert(layouts.end(), {{2, std::min(33u, sites - 1)}, {1, 100}, {1, 353}});
    else
        layouts.insert(layouts.end(), {{7, 1}, {std::min(100u, sites - 1), 1}, {sites, 1}});
    return layouts;
}

}  // namespace

TEST_CASE("arrays of random numbers and counts of odd numbers equal the CPU's") {
    for (const std::string& generator : all_generators()) {
        CAPTURE(generator);
        const std::uint32_t run = is_ring(generator) ? 100 : 1;
        const NumbersSetup setup{
            .generator = generator, .seed = 3, .streams = 300, .run = run, .each = std::uint64_t{70} * run};
        const auto host = make_numbers(cpu, setup), device = make_numbers(cuda, setup);
        for (int call = 0; call < 3; ++call) {
            CHECK(device->count_odd() == host->count_odd());
            device->fill();
            host->fill();
            REQUIRE(device->floats() == host->floats());
        }
    }
}

TEST_CASE("the glass with every generator has the spins of the CPU") {
    for (const std::string& generator : all_generators())
        for (const auto& [L, order, replicas] :
             {std::tuple{6, SiteOrder::standard, 4}, std::tuple{10, SiteOrder::sliced, 4},
              std::tuple{8, SiteOrder::bitwise, 4}, std::tuple{4, SiteOrder::sliced, 8},
              std::tuple{4, SiteOrder::bitwise, 3}, std::tuple{10, SiteOrder::standard, 1}})
            for (const StreamLayout& layout : layouts_of(generator, L * L * L / 2)) {
                GlassSetup setup{.generator = generator,
                                 .L = L,
                                 .words = 19,
                                 .replicas = replicas,
                                 .beta = 0.8,
                                 .seed = 11,
                                 .site_order = order};
                setup.layout = layout;
                setup.couplings = generate_couplings({.seed = 4, .L = L}, 0, 96, 1);
                const std::string what = generator + ", L = " + std::to_string(L) + ", " + name(order) +
                                         ", " + std::to_string(replicas) + " replicas, " +
                                         std::to_string(layout.streams) + " streams of " +
                                         std::to_string(layout.width);
                CAPTURE(what);
                const auto host = make_glass(cpu, setup), device = make_glass(cuda, setup);
                REQUIRE(host->spins() == device->spins());
                for (const int sweeps : {1, 13}) {
                    host->sweep(sweeps);
                    device->sweep(sweeps);
                    REQUIRE(host->spins() == device->spins());
                    REQUIRE(host->energies() == device->energies());
                }
                CHECK(host->overlaps() == device->overlaps());
                for (const bool threads_in_grid : {false, true}) {
                    host->load_neighbours(3, threads_in_grid);
                    device->load_neighbours(3, threads_in_grid);
                    CHECK(host->spins() == device->spins());
                }
            }
}

namespace {

void check_ferromagnet(const FerromagnetSetup& setup) {
    const std::string what = setup.generator + ", " + std::to_string(setup.dimension) + "D, " +
                             (setup.packed ? "packed" : name(setup.order)) + ", " +
                             std::to_string(setup.layout.streams) + " streams of " +
                             std::to_string(setup.layout.width);
    CAPTURE(what);
    const auto host = make_ferromagnet(cpu, setup), device = make_ferromagnet(cuda, setup);
    REQUIRE(host->spins() == device->spins());
    for (const int sweeps : {1, 13}) {
        host->sweep(sweeps);
        device->sweep(sweeps);
        REQUIRE(host->spins() == device->spins());
        REQUIRE(host->energy() == device->energy());
    }
    REQUIRE(host->sweep_with_energies(5) == device->sweep_with_energies(5));
    REQUIRE(host->energy() == device->energy());
    REQUIRE(host->spins() == device->spins());
}

}  // namespace

TEST_CASE("the ferromagnet with every generator has the spins and the energy of the CPU") {
    for (const std::string& generator : all_generators())
        for (const FerromagnetSetup& size :
             {FerromagnetSetup{.generator = generator, .L = 34},
              FerromagnetSetup{.generator = generator, .dimension = 3, .L = 10},
              FerromagnetSetup{.generator = generator, .L = 64, .order = UpdateOrder::double_checkerboard},
              FerromagnetSetup{.generator = generator, .L = 192, .packed = true},
              FerromagnetSetup{.generator = generator, .dimension = 3, .L = 64, .packed = true}})
            for (const StreamLayout& layout : layouts_of(generator, size.units_of_phase())) {
                FerromagnetSetup setup = size;
                setup.beta = 0.3;
                setup.seed = 6;
                setup.layout = layout;
                check_ferromagnet(setup);
            }
}

TEST_CASE("words of temperatures in all codings have the spins of the CPU") {
    for (const std::string generator : {"lcg32", "xorwow", "philox7"})
        for (const TemperatureCoding coding : {TemperatureCoding::amsc1, TemperatureCoding::amsc3,
                                               TemperatureCoding::amsc4, TemperatureCoding::camsc})
            for (const int L : {4, 16}) {
                const TemperatureWordsSetup setup{.generator = generator,
                                                  .coding = coding,
                                                  .L = L,
                                                  .realizations = 5,
                                                  .field = 0.2,
                                                  .seed = 8};
                CAPTURE(generator);
                CAPTURE(name(coding));
                CAPTURE(L);
                const auto host = make_temperature_words(cpu, setup),
                           device = make_temperature_words(cuda, setup);
                for (const int sweeps : {1, 6}) {
                    host->sweep(sweeps);
                    device->sweep(sweeps);
                    REQUIRE(host->words() == device->words());
                    for (const LatticeArrangement arrangement :
                         {LatticeArrangement::unified, LatticeArrangement::separated,
                          LatticeArrangement::shuffled}) {
                        host->load_neighbours(sweeps, arrangement);
                        device->load_neighbours(sweeps, arrangement);
                        REQUIRE(host->loaded() == device->loaded());
                    }
                }
            }
}

#if PSFLIP_HAVE_CURAND
TEST_CASE("a block of MTGP32 draws the numbers of the authors' program") {
    // mtgp32-fast.c with the parameter sets 0 and 63 of mtgp32dc-param-11213.c, seeds 1 and 64
    // (github.com/MersenneTwister-Lab/MTGP, commit 9cea328). cuRAND seeds set i with seed + i + 1.
    struct Known {
        int block, number;
        std::uint32_t value;
    };
    const std::vector<std::uint32_t> numbers = make_curand_states("curand-mtgp32", 0, 0)->draw(8);
    for (const Known& known : {Known{0, 0, 360948779u},
                               {0, 1, 1200908298u},
                               {0, 2, 2313932395u},
                               {0, 3, 2218157478u},
                               {0, 1997, 2977483337u},
                               {0, 1998, 266730812u},
                               {0, 1999, 615994147u},
                               {63, 0, 2578697425u},
                               {63, 1, 1895632634u},
                               {63, 2, 3128309269u},
                               {63, 3, 3441742322u},
                               {63, 1997, 2369556084u},
                               {63, 1998, 3815111262u},
                               {63, 1999, 3215166963u}}) {
        CAPTURE(known.block);
        CAPTURE(known.number);
        CHECK(numbers[known.block * 8 * 256 + known.number] == known.value);
    }
}
#endif
