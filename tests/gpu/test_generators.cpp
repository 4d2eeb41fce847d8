#include <doctest/doctest.h>

#include "bench/rng_numbers.hpp"
#include "disorder/couplings.hpp"
#include "random/generators/generator_list.hpp"
#include "sweep/stateful/ferromagnet.hpp"
#include "sweep/stateful/glass.hpp"

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

/// Usual ones, and some that leave threads of warps, blocks and rounds without a site.
std::vector<StreamLayout> layouts_of(const std::string& generator, std::uint32_t sites) {
    std::vector<StreamLayout> layouts{usual_layout(generator, sites, true), {1, 1}};
    if (is_ring(generator))
        layouts.insert(layouts.end(), {{2, 33}, {1, 100}, {1, 353}});
    else
        layouts.insert(layouts.end(), {{7, 1}, {100, 1}, {sites, 1}});
    return layouts;
}

}  // namespace

TEST_CASE("arrays of random numbers and counts of odd ones are those of the CPU") {
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
        for (const int L : {6, 10})
            for (const StreamLayout& layout : layouts_of(generator, L * L * L / 2)) {
                GlassSetup setup{.generator = generator, .L = L, .words = 3, .beta = 0.8, .seed = 11};
                setup.layout = layout;
                setup.couplings = generate_couplings({.seed = 4, .L = L}, 0, 32 * setup.words, 1);
                const std::string what = generator + ", L = " + std::to_string(L) + ", " +
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
            }
}

TEST_CASE("the ferromagnet with every generator has the spins and the energy of the CPU") {
    for (const std::string& generator : all_generators())
        for (const auto& [dimension, L, order] :
             {std::tuple{2, 34, UpdateOrder::checkerboard}, std::tuple{3, 10, UpdateOrder::checkerboard},
              std::tuple{2, 64, UpdateOrder::double_checkerboard}})
            for (const StreamLayout& layout : layouts_of(generator, sites_of_phase(L, dimension, order))) {
                const FerromagnetSetup setup{.generator = generator,
                                             .dimension = dimension,
                                             .L = L,
                                             .order = order,
                                             .beta = 0.3,
                                             .seed = 6,
                                             .layout = layout};
                const std::string what = generator + ", " + std::to_string(dimension) + "D, " + name(order) +
                                         ", " + std::to_string(layout.streams) + " streams of " +
                                         std::to_string(layout.width);
                CAPTURE(what);
                const auto host = make_ferromagnet(cpu, setup), device = make_ferromagnet(cuda, setup);
                for (const int sweeps : {1, 13}) {
                    host->sweep(sweeps);
                    device->sweep(sweeps);
                    REQUIRE(host->spins() == device->spins());
                    REQUIRE(host->energy() == device->energy());
                }
            }
}
