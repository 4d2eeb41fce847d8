#include <doctest/doctest.h>

#include "world_runs.hpp"

using namespace psflip;
using namespace psflip::reference;

TEST_CASE("every rule with weak and strong fields, two columns, late sweeps: CUDA equals CPU") {
    for (int share : {1, 32, 64, 128})
        for (int dimension : {2, 3})
            for (double field : {0.0, 0.3, -3.5, 9.0})
                for (double p_absent : {0.0, 0.4})
                    for (bool heat_bath : {false, true}) {
                        World world = two_columns(dimension, dimension == 2 ? 10 : 6, share);
                        world.field = field;
                        world.p_absent = p_absent;
                        world.heat_bath = heat_bath;
                        check_run(world, (std::int64_t{1} << 33) - 4, 9);
                    }
}

TEST_CASE("64 temperatures and larger lattices of other models: CUDA equals CPU") {
    for (int share : {1, 32, 64, 128}) {
        World square = two_columns(2, 64, share);
        check_run(square, 0, 4);
        square.field = 0.2;
        check_run(square, 0, 4);
        World cube = two_columns(3, 18, share);
        cube.field = -0.5;
        check_run(cube, 0, 4);
        World many = two_columns(2, 8, share);
        many.field = 0.1;
        many.p_absent = 0.2;
        for (int t = 7; t < 64; ++t) many.temperatures.push_back(5.0 + 0.1 * t);
        check_run(many, 0, 8);
    }
}

TEST_CASE("resident kernel of other models, every way to cut a lattice: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int dimension, L, temperatures;
    } cases[] = {{"resident:4x1x2", 2, 16, 10},      {"resident:8x1x2", 2, 8, 13},
                 {"resident:3x2x2", 2, 12, 7},       {"resident:5x4", 2, 16, 6},
                 {"resident:8x8x1", 2, 24, 8},       {"resident:0x16", 2, 32, 12},
                 {"resident:6x10x1", 2, 10, 13},     {"resident:0x2x3", 3, 12, 9},
                 {"resident:4x4", 3, 8, 10},         {"resident:3x8x1", 3, 8, 8},
                 {"resident:7x5", 3, 10, 7},         {"resident:2x16", 3, 16, 5},
                 {"resident:3x4+4x2x0x1", 2, 16, 7}, {"resident:5x2+2x4x1x1", 3, 8, 10},
                 {"resident/2", 2, 16, 7},           {"resident/2", 3, 8, 10},
                 {"resident:3x4/2", 3, 8, 9},        {"resident:5x4+2x8x1x2/2", 3, 8, 10}};
    int turn = 0;
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {32, 64, 128}) {
            World world = two_columns(c.dimension, c.L, share);
            world.temperatures.clear();
            for (int t = 0; t < c.temperatures; ++t) world.temperatures.push_back(0.8 + 0.3 * t);
            const int rule = turn++ % 5;  // in two dimensions 0 is the plain one
            if (rule == 2 || rule == 3 || (rule == 0 && c.dimension == 3)) world.field = 0.3;
            if (rule > 2) world.p_absent = 0.3;
            world.heat_bath = rule == 1;
            INFO(c.kernel);
            check_run(world, 0, 5);
        }
    }
}

TEST_CASE("strips of squares, every way to cut a lattice: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, temperatures;
    } cases[] = {{"strips:4x1x1", 16, 10},    {"strips:24x1x6", 16, 24},    {"strips:24x1x12", 16, 24},
                 {"strips:12x1x3/2", 16, 24}, {"strips:3x1x1", 4, 7},       {"strips:5x1x2", 10, 12},
                 {"strips:4x2x2", 24, 9},     {"strips:12x4", 64, 24},      {"strips:6x8x1", 16, 13},
                 {"strips:0x16", 48, 5},      {"strips:0x4x2", 32, 6},      {"strips:7x12x1", 12, 16},
                 {"strips:8x4/1", 16, 8},     {"strips:24x2x12/1", 32, 24}, {"strips:9x3x2", 12, 9}};
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {32, 64, 128}) {
            World world = two_columns(2, c.L, share);
            world.temperatures.clear();
            for (int t = 0; t < c.temperatures; ++t) world.temperatures.push_back(0.4 + 0.1 * t);
            INFO(c.kernel);
            check_run(world, 0, 5);
        }
    }
}

TEST_CASE("squares with share 1 from frozen to infinite temperature: CUDA equals CPU") {
    for (const char* kernel : {"auto", "streaming", "resident:3x1x1"})
        for (int L : {4, 10, 20, 64}) {
            const KernelChoice choice(kernel);
            INFO(kernel);
            World world = two_columns(2, L, 1);
            world.temperatures = {0.05, 0.33, 0.7, 1.45, 2.2, 2.9, 10, 1e12};
            check_run(world, 0, 4);
            if (L == 64) continue;
            world.ferromagnet = true;
            check_run(world, 5, 4);
        }
}

TEST_CASE("fused kernel of other models, every way to cut a batch: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, temperatures;
    } cases[] = {{"fused:24x2x4", 8, 24}, {"fused:12x2x4", 8, 23}, {"fused:7x1x4", 4, 17},
                 {"fused:3x1x4", 10, 8},  {"fused:1x1x4", 6, 5},   {"fused", 8, 7}};
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {32, 64, 128})
            for (double field : {0.0, 0.3, -3.5})
                for (bool heat_bath : {false, true}) {
                    if (field == 0 && !heat_bath) continue;  // the plain rule
                    World world = two_columns(3, c.L, share);
                    world.temperatures.clear();
                    for (int t = 0; t < c.temperatures; ++t) world.temperatures.push_back(0.8 + 0.1 * t);
                    world.field = field;
                    world.heat_bath = heat_bath;
                    INFO(c.kernel);
                    check_run(world, 0, 11);
                }
    }
}

TEST_CASE("share 1 of other models from frozen to infinite temperature: CUDA equals CPU") {
    for (const char* kernel : {"streaming", "resident:3x1x1"})
        for (int dimension : {2, 3})
            for (double field : {0.0, 0.3})
                for (double p_absent : {0.0, 0.4})
                    for (bool heat_bath : {false, true}) {
                        const KernelChoice choice(kernel);
                        INFO(kernel);
                        World world = two_columns(dimension, 8, 1);
                        world.temperatures = {0.05, 0.33, 0.7, 1.45, 2.2, 2.9, 10, 1e12};
                        world.field = field;
                        world.p_absent = p_absent;
                        world.heat_bath = heat_bath;
                        check_run(world, 5, 4);
                    }
}

TEST_CASE("the largest square: CUDA equals CPU") {
    for (int share : {1, 128}) {
        World world;
        world.dimension = 2;
        world.L = 1024;
        world.share = share;
        world.realizations = 32;
        world.ferromagnet = share == 1;
        world.temperatures = {2.269185};
        check_run(world, 0, 1);
    }
}
