#include <doctest/doctest.h>

#include <vector>

#include "sweep/sites/site_waves.hpp"

using namespace psflip;

TEST_CASE("tickets of a wave have every task once, and behind all tasks that it waits for") {
    for (const std::uint32_t segments : {5, 6, 16, 33})
        for (std::uint32_t lag = 3; lag + 2 <= segments; ++lag)
            for (const std::uint32_t sweeps : {1, 2, 5}) {
                const WaveLaunch wave{segments, 3, lag, sweeps, 0, nullptr};
                std::vector<std::uint32_t> finished(segments, 0);  // blocks
                for (std::uint32_t ticket = 0; ticket < wave.tickets(); ++ticket) {
                    const WaveTask task(wave, ticket);
                    REQUIRE(task.segment < segments);
                    REQUIRE(finished[task.segment] == task.half * wave.blocks + task.block);
                    for (std::uint32_t k = 0; k < 3; ++k)
                        REQUIRE(finished[task.neighbour(wave, k)] >= task.half * wave.blocks);
                    ++finished[task.segment];
                }
                CHECK(finished == std::vector<std::uint32_t>(segments, 2 * sweeps * wave.blocks));
            }
}

TEST_CASE("black sites follow red sites of a wave by its lag") {
    const WaveLaunch wave{20, 1, 4, 2, 0, nullptr};
    std::vector<std::uint32_t> at(4 * 20);  // (half, segment): ticket
    for (std::uint32_t ticket = 0; ticket < wave.tickets(); ++ticket) {
        const WaveTask task(wave, ticket);
        at[20 * task.half + task.segment] = ticket;
    }
    // A half sweep begins one segment later than the half sweep before.
    for (std::uint32_t segment = 1; segment < 15; ++segment) CHECK(at[20 + segment] - at[segment] <= 2 * 4);
}
