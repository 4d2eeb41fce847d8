#include <doctest/doctest.h>

#include <string>

#include "world_runs.hpp"

using namespace psflip;
using namespace psflip::reference;

TEST_CASE("demons, streaming and resident with every number of slots: CUDA equals the naive reference") {
    const struct {
        const char* kernel;
        int max_L;  ///< in three dimensions, by the shared memory of a block
    } kernels[] = {{"auto", 100},          {"streaming", 100},    {"resident:0x1x4", 12},
                   {"resident:0x2x4", 10}, {"resident:0x4x4", 8}, {"resident:0x2x2", 12},
                   {"resident:0x4x1", 16}, {"resident:0x1x1", 24}};
    for (const auto& [kernel, max_L] : kernels) {
        const KernelChoice choice(kernel);
        for (const Case& which : demon_cases()) {
            if (which.world.L > (which.world.dimension == 3 ? max_L : max_L == 100 ? 300 : 22)) continue;
            INFO(which.name << ", kernel " << std::string(kernel));
            CHECK(difference(which, run_library(which, {"cuda", 0, 0}), expected(which)) == "");
        }
    }
}

constexpr std::int64_t late = (std::int64_t{1} << 33) - 2;

TEST_CASE("demons in fields and with absent bonds, streaming and resident: CUDA equals the naive reference") {
    const struct {
        const char* kernel;
        int cubic_L, square_L;  ///< at most, by the shared memory of a block
    } kernels[] = {{"auto", 300, 300},
                   {"streaming", 300, 300},
                   {"resident:0x2x4", 10, 22},
                   {"resident:0x2x2", 12, 22},
                   {"resident:0x2x1", 16, 64}};
    for (const auto& [kernel, cubic_L, square_L] : kernels) {
        const KernelChoice choice(kernel);
        for (const Case& which : demon_model_cases()) {
            if (which.world.L > (which.world.dimension == 3 ? cubic_L : square_L)) continue;
            INFO(which.name << ", kernel " << std::string(kernel));
            CHECK(difference(which, run_library(which, {"cuda", 0, 0}), expected(which)) == "");
        }
    }
}

TEST_CASE("demons in fields and with absent bonds, blocks with some slots, late sweeps: CUDA equals CPU") {
    const struct {
        const char* kernel;
        std::vector<int> sizes;
    } kernels[] = {{"auto", {8, 20, 24, 32}}, {"resident:4x2x4", {8}}, {"resident:2x2x1", {8, 16}}};
    for (const auto& [kernel, sizes] : kernels)
        for (const int L : sizes)
            for (const int dimension : {2, 3})
                for (const double field : {0.0, -0.3})
                    for (const double p_absent : {0.0, 0.6}) {
                        if (field == 0.0 && p_absent == 0.0) continue;
                        World world = two_columns(dimension, L, 1);
                        world.field = field;
                        world.p_absent = p_absent;
                        world.demon_sites = 24;
                        INFO("kernel " << std::string(kernel));
                        const KernelChoice choice(kernel);
                        check_run(world, late, 4);
                    }
}

TEST_CASE("demons of larger lattices, two columns, late sweeps: CUDA equals CPU") {
    for (const int L : {8, 20, 24, 32, 50})
        for (const int dimension : {2, 3}) {
            World world = two_columns(dimension, L, 1);
            world.demon_sites = 24;
            check_run(world, late, 4);
        }
}

TEST_CASE("demons with lanes = replicas, larger lattices, late sweeps: CUDA equals CPU") {
    for (const int L : {8, 24, 50, 64, 128})
        for (const int dimension : {2, 3})
            for (const int replicas : {1, 2, 5}) {
                if (L == 128 && replicas == 5) continue;
                World world;
                world.dimension = dimension;
                world.L = L;
                world.share = 1;
                world.replica_lanes = true;
                world.demon_sites = L == 64 ? 16 : 24;
                world.first_realization = 384;
                world.realizations = L < 20 ? 150 : 2;
                world.replicas = replicas;
                world.temperatures = {0.5, 0.6, 0.7, 0.8, 0.95, 1.1, 1.3, 1.7, 2.1, 2.6, 3.3, 4.0, 5.0};
                check_run(world, late, 4);
            }
}
