#include <doctest/doctest.h>

#include "base/device.hpp"
#include "base/error.hpp"
#include "simulation.hpp"

using namespace psflip;

TEST_CASE("spins come back as they were set, padding lanes as zero") {
    for (std::int64_t realizations : {1, 64, 100, 128, 130}) {
        const Shape shape{4, 2, 3, realizations, 0, 32};
        Simulation s("cuda", shape);
        CHECK(s.ensemble().spins() == random_spins(shape, Simulation::seed));
    }
}

TEST_CASE("a device that does not exist is refused") {
    std::string why;
    CHECK_FALSE(cuda_available(1000, &why));
    CHECK(why.find("1000") != std::string::npos);
    const Shape shape{4, 1, 1, 32, 0, 32};
    CHECK_THROWS_AS(make_ising_ensemble({{"cuda", 0, 1000}, shape, {1.0}, 1, Simulation::couplings(shape)}),
                    EnvironmentError);
}

TEST_CASE("large lattices take the kernels that are fast there") {
    const struct {
        int L, share, temperatures;
        const char* kernel;
    } cases[] = {{32, 32, 24, "resident"}, {34, 128, 24, "streaming"}, {64, 128, 24, "tiled"},
                 {96, 32, 24, "tiled"},    {48, 128, 2, "streaming"},  {64, 32, 2, "streaming"}};
    for (const auto& c : cases) {
        const Shape shape{c.L, 2, c.temperatures, 128, 0, c.share};
        const auto ensemble = make_ising_ensemble({{"cuda", 0, 0},
                                                   shape,
                                                   std::vector<double>(c.temperatures, 0.9),
                                                   1,
                                                   Simulation::couplings(shape)});
        INFO("L " << c.L << ", share " << c.share << ": " << ensemble->description());
        CHECK(ensemble->description().find(c.kernel) != std::string::npos);
    }
}

TEST_CASE("the kernel override is checked") {
    const Shape shape{4, 1, 1, 32, 0, 32};
    {
        const KernelChoice choice("fast");
        CHECK_THROWS_AS(Simulation("cuda", shape), InputError);
    }
    for (const char* too_large : {"resident:2", "resident:1x3", "tiled:3"}) {
        const KernelChoice choice(too_large);
        CHECK_THROWS_AS(Simulation("cuda", shape), EnvironmentError);
    }
    {
        const Shape two{4, 2, 6, 128, 0, 32};
        const KernelChoice choice("fused:2x1x1");
        CHECK(Simulation("cuda", two)
                  .ensemble()
                  .description()
                  .ends_with("fused kernel, requested plan fused:2x1x1"));
        const KernelChoice impossible("fused:4x1x1");  // 6 temperatures are not whole fours
        CHECK_THROWS_AS(Simulation("cuda", two), EnvironmentError);
    }
    const KernelChoice choice("streaming");
    CHECK(Simulation("cuda", shape).ensemble().description().find("streaming") != std::string::npos);
}

TEST_CASE("a batch larger than the memory of the device is refused with sizes") {
    // 10 columns of 8 x 64 lattices of 256 MiB; the spins are allocated before the couplings are looked at.
    const Shape shape{256, 8, 64, 1280, 0, 32};
    std::string message;
    try {
        make_ising_ensemble({{"cuda", 0, 0}, shape, Simulation::betas(64), 1, {}});
    } catch (const EnvironmentError& error) {
        message = error.what();
    }
    CHECK(message.find("1280.00 GiB are needed") != std::string::npos);
}
