#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "equal_runs.hpp"
#include "sweep/device_ensemble.hpp"

// Tests batches whose slices are swept, exchanged and measured in separate streams.

using namespace psflip;

namespace {

/// Makes the stream of a batch slice wait for some milliseconds.
void hold(Simulation& simulation, int part) {
    auto& ensemble = dynamic_cast<DeviceEnsemble&>(simulation.ensemble());
    const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); };
    REQUIRE(cudaLaunchHostFunc(ensemble.parts()[part].stream, sleep, nullptr) == cudaSuccess);
}

}  // namespace

TEST_CASE("a part that is late finds what it left: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, replicas, temperatures, columns;
    } cases[] = {
        {"resident/2", 8, 2, 10, 3}, {"resident:4x4x2+2x2x4x3/2", 8, 2, 10, 4}, {"resident/2", 4, 3, 7, 4}};
    for (const auto& c : cases)
        for (const int late : {0, 1}) {
            const KernelChoice kernel(c.kernel);
            const Shape shape{c.L, c.replicas, c.temperatures, c.columns * 128 - 30, 128, 128};
            Simulation cpu("cpu", shape), cuda("cuda", shape);
            cpu.run(0, 40);
            for (int round = 0; round < 40; ++round) {
                if (round % 4 == 1) hold(cuda, late);
                cuda.run(round, 1);
            }
            INFO(c.kernel << ", late part " << late);
            check_equal(cpu, cuda);
        }
}

TEST_CASE("batches in parts: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, replicas, temperatures, columns;
    } cases[] = {{"resident/2", 4, 1, 7, 2},
                 {"resident/2", 8, 2, 10, 3},
                 {"resident:4x4x2+2x2x4x3/2", 8, 2, 10, 4},
                 {"resident:1x2+8x4x0x1/2", 8, 2, 8, 5},
                 {"resident:6x3+6x2x0x4/2", 12, 1, 7, 5},
                 {"resident:8x5/2", 10, 3, 24, 2}};
    int turn = 0;
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {1, 32, 64, 128}) {
            if (share == 1 && std::string(c.kernel) != "resident/2") continue;
            INFO(c.kernel);
            check_case({c.L, c.replicas, c.temperatures, c.columns * 128 - 30, 128, share}, ++turn % 2, 7);
        }
    }
}

TEST_CASE("a batch that is swept and measured in parts has the bits of one in one part") {
    for (const int L : {12, 16, 20, 24}) {
        const Shape shape{L, 2, 24, (L > 16 ? 12 : 40) * 128 - 5, 0, 128};
        const auto run = [&](const char* kernel) {
            const KernelChoice choice(kernel);
            auto simulation = std::make_unique<Simulation>("cuda", shape);
            simulation->run(0, 20);
            return simulation;
        };
        const auto one = run("resident/1"), two = run("resident/2");
        INFO("L " << L << ", " << two->ensemble().description());
        check_equal(*one, *two);
    }
}

TEST_CASE("parts where they cannot be are refused") {
    const auto make = [](const char* kernel, std::int64_t realizations) {
        const KernelChoice choice(kernel);
        Simulation("cuda", {8, 1, 4, realizations, 0, 128});
    };
    make("resident/2", 300);
    CHECK_THROWS_AS(make("streaming/2", 300), EnvironmentError);
    CHECK_THROWS_AS(make("fused/2", 300), EnvironmentError);
    CHECK_THROWS_AS(make("resident/2", 128), EnvironmentError);
}
