#include <doctest/doctest.h>

#include "run/hottest_slot.hpp"
#include "simulation.hpp"

using namespace psflip;

TEST_CASE("the hottest slot by itself: CUDA equals CPU") {
    for (const int share : {1, 32, 64, 128})
        for (const int L : {4, 8, 12, 26}) {
            INFO("L " << L << ", share " << share);
            Parameters parameters = parameters_for(default_config(), 4);
            parameters.seed = ::Simulation::seed;
            parameters.temperatures = {0.8, 1.2, 1.9};
            Batch batch;
            batch.shape = {L, 2, 3, 200, 384, share};
            batch.couplings = ::Simulation::couplings(batch.shape);
            const auto spins = random_spins(batch.shape, ::Simulation::seed);
            const auto overlaps = [&](const char* backend) {
                return simulate_hottest_slot(parameters, batch, spins, 400,
                                             {.backend = backend, .threads = 0, .device = 0}, {});
            };
            CHECK(overlaps("cpu") == overlaps("cuda"));
        }
}
