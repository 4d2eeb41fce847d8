#include <doctest/doctest.h>

#include "equal_runs.hpp"

using namespace psflip;

namespace {

const int shares[] = {1, 32, 64, 128}, sizes[] = {4, 6, 8, 10, 12, 16, 20, 32},
          temperature_counts[] = {1, 2, 3, 5, 16, 24};
const std::int64_t realization_counts[] = {32, 128, 200, 300};

/// Checks every share with every L. Temperatures, replicas and realizations take turns, so that all values
/// meet.
template <class Check>
void for_cases(int largest, Check check) {
    int turn = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int share : shares)
            for (int L : sizes) {
                ++turn;
                if (L > largest) continue;
                Shape shape{L,
                            turn % 3 + 1,
                            temperature_counts[(turn + pass) % 6],
                            realization_counts[(turn / 3 + pass) % 4],
                            384,
                            share};
                check(shape);
            }
}

}  // namespace

TEST_CASE("the kernel as chosen: CUDA equals CPU") {
    for_cases(32, [](const Shape& shape) { check_case(shape, 0, shape.L > 16 ? 3 : 6); });
}

TEST_CASE("resident kernel where the fused kernel is chosen: CUDA equals CPU") {
    const KernelChoice resident("resident");
    for_cases(10, [](const Shape& shape) { check_case(shape, 0, 5); });
}

TEST_CASE("streaming kernel for all sizes: CUDA equals CPU") {
    const KernelChoice streaming("streaming");
    for_cases(16, [](const Shape& shape) { check_case(shape, 0, 4); });
}

TEST_CASE("share 1 from frozen to infinite temperature: CUDA equals CPU") {
    const std::vector<double> betas{20, 3, 1.4, 0.69, 0.45, 0.1, 1e-12};
    for (const char* kernel : {"auto", "streaming"})
        for (int L : {4, 6, 10, 20}) {
            const KernelChoice choice(kernel);
            const Shape shape{L, 2, static_cast<int>(betas.size()), 200, 384, 1};
            std::vector<std::vector<std::uint64_t>> spins;
            for (const char* backend : {"cpu", "cuda"}) {
                const auto ensemble = make_ising_ensemble({{.backend = backend, .threads = 0, .device = 0},
                                                           shape,
                                                           betas,
                                                           Simulation::seed,
                                                           Simulation::couplings(shape)});
                ensemble->set_spins(random_spins(shape, Simulation::seed));
                ensemble->sweep(7, 3);
                spins.push_back(ensemble->spins());
            }
            INFO("L " << L << ", kernel " << kernel);
            CHECK(spins[0] == spins[1]);
        }
}

TEST_CASE("resident kernel, every way to cut a lattice: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, temperatures;
    } cases[] = {{"resident:4x1x2", 8, 10}, {"resident:0x2", 4, 3},  {"resident:8x4", 8, 13},
                 {"resident:3x4x1", 8, 8},  {"resident:5x5", 10, 6}, {"resident:0x2x3", 12, 24},
                 {"resident:6x3x2", 12, 7}, {"resident:2x8", 16, 5}};
    int turn = 0;
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {32, 64, 128})
            check_case({c.L, ++turn % 2 + 1, c.temperatures, 160, 0, share}, 0, 4);
    }
}

TEST_CASE("resident kernel, two plans of a batch: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, replicas, temperatures, columns;
    } cases[] = {{"resident:4x4x2+2x2x4x3", 8, 2, 10, 4},  {"resident:3x4x1+5x1x2x1", 8, 1, 13, 2},
                 {"resident:2x2+3x1x0x4", 6, 3, 7, 3},     {"resident:6x3+6x2x0x2", 12, 1, 7, 5},
                 {"resident:8x5+3x2x0x7", 10, 2, 24, 4},   {"resident:1x2+8x4x0x1", 8, 2, 8, 1},
                 {"resident:4x1x1+2x2x1x2", 4, 2, 24, 40}, {"resident:8x8+2x2x0x1", 16, 1, 16, 2}};
    int turn = 0;
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {32, 64, 128}) {
            const Shape shape{c.L, c.replicas, c.temperatures, c.columns * 128 - 30, 128, share};
            INFO(c.kernel);
            CHECK(Simulation("cuda", shape).ensemble().description().find('+') != std::string::npos);
            check_case(shape, ++turn % 2, 5);
        }
    }
}

TEST_CASE("the bits do not depend on the plans of a batch") {
    const Shape shape{20, 2, 24, 16 * 128, 0, 128};
    const auto run = [&](const char* kernel) {
        const KernelChoice choice(kernel);
        auto simulation = std::make_unique<Simulation>("cuda", shape);
        simulation->run(0, 4);
        return simulation;
    };
    const auto one = run("resident:0");
    for (const char* kernel : {"resident", "resident:6x4+3x2x0x5", "resident:0x4+1x2x0x1"}) {
        const auto other = run(kernel);
        INFO(other->ensemble().description());
        check_equal(*one, *other);
    }
}

TEST_CASE("tiled kernel, every way to cut a lattice: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, temperatures, replicas;
    } cases[] = {{"tiled", 8, 24, 2},        {"tiled:4x8x1", 8, 5, 2},   {"tiled:2x2x2", 8, 1, 4},
                 {"tiled:1x1x1", 4, 4, 1},   {"tiled:3x3x3", 10, 3, 3},  {"tiled:6x4x2", 12, 6, 1},
                 {"tiled:4x5x12", 12, 2, 3}, {"tiled:8x4x2", 16, 4, 2},  {"tiled:5x3x1", 16, 9, 2},
                 {"tiled:2x8x3", 16, 1, 3},  {"tiled:17x2x3", 34, 5, 1}, {"tiled", 48, 1, 2},
                 {"tiled:4x4x2", 16, 2, 4},  {"tiled:8x3x1", 16, 3, 4},  {"tiled", 48, 2, 4}};
    int turn = 0;
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {32, 64, 128})
            if (c.L < 20 || share == 128)
                check_case({c.L, c.replicas, c.temperatures, ++turn % 2 ? 130 : 300, 256, share}, 0, 4,
                           turn / 2 % 2 == 0);
    }
}

TEST_CASE("tiled kernel, spins asked for between measurements: CUDA equals CPU") {
    const KernelChoice kernel("tiled");
    for (int replicas : {1, 2, 4})
        for (bool magnetisation : {false, true}) {
            const Shape shape{16, replicas, 5, 200, 0, 128};
            Simulation cpu("cpu", shape, magnetisation), cuda("cuda", shape, magnetisation);
            INFO(cuda.ensemble().description());
            std::vector<std::vector<std::uint64_t>> seen[2];
            for (Simulation* s : {&cpu, &cuda}) {
                auto& mine = seen[s == &cuda];
                s->measurement->measure(0);
                s->run(0, 3);
                s->measurement->measure(1);
                mine.push_back(s->ensemble().spins());
                s->measurement->measure(2);
                s->ensemble().sweep(9, 2);
                mine.push_back(s->ensemble().spins());
                s->ensemble().set_spins(mine.front());
                s->measurement->measure(3);
                s->run(4, 3);
            }
            CHECK(seen[0] == seen[1]);
            check_equal(cpu, cuda);
        }
}

TEST_CASE("fused kernel, every way to cut a batch: CUDA equals CPU") {
    const struct {
        const char* kernel;
        int L, temperatures;
        std::int64_t realizations;
    } cases[] = {{"fused:2x1x1", 8, 16, 200},  {"fused:24x6x1", 4, 24, 300}, {"fused:4x1x1", 4, 12, 130},
                 {"fused:1x1x1", 6, 7, 200},   {"fused:3x3x1", 6, 10, 160},  {"fused:4x2x1", 6, 10, 160},
                 {"fused:1x1x1", 10, 6, 96},   {"fused:2x1x1", 10, 6, 128},  {"fused:8x2x1", 8, 20, 130},
                 {"fused:24x2x4", 8, 24, 300}, {"fused:12x2x4", 8, 24, 200}, {"fused:7x1x4", 4, 17, 200},
                 {"fused:8x1x4", 10, 24, 200}, {"fused:3x1x4", 10, 8, 130},  {"fused:1x1x4", 8, 6, 130},
                 {"fused:12x3x4", 6, 23, 200}, {"fused:10x2x4", 4, 64, 200}, {"fused:12x1x4", 10, 24, 130},
                 {"fused:1x1x1", 8, 24, 300},  {"fused:1x1x4", 8, 24, 1700}};
    int turn = 0;
    for (const auto& c : cases) {
        const KernelChoice kernel(c.kernel);
        for (int share : {32, 64, 128})
            check_case({c.L, ++turn % 2 + 1, c.temperatures, c.realizations, 128, share}, turn % 4, 7);
    }
}

TEST_CASE("fused kernel, many exchanges in one launch: CUDA equals CPU") {
    for (const char* plan : {"fused:1x1x1", "fused:2x1x1", "fused:3x1x4", "fused:6x2x4"}) {
        const KernelChoice kernel(plan);
        const Shape shape{6, 2, 6, 128, 0, 32};
        INFO(plan);
        Simulation cpu("cpu", shape), cuda("cuda", shape);
        for (Simulation* s : {&cpu, &cuda}) {
            std::int64_t done = 0;
            for (const int exchanges : {25, 1, 40}) {
                const std::int64_t end = done + exchanges * Simulation::sweeps_per_swap;
                s->sampler->advance(done, end);
                done = end;
            }
        }
        check_equal(cpu, cuda);
    }
}

TEST_CASE("energies of spins that were set") {
    for (int temperatures : {1, 4}) {
        const Shape shape{6, 1, temperatures, 128, 0, 128};
        std::vector<std::vector<std::int32_t>> energies;
        for (const char* backend : {"cpu", "cuda"}) {
            const auto ensemble = make_ising_ensemble({{.backend = backend, .threads = 0, .device = 0},
                                                       shape,
                                                       Simulation::betas(temperatures),
                                                       Simulation::seed,
                                                       Simulation::couplings(shape)});
            ensemble->set_spins(random_spins(shape, Simulation::seed));
            ensemble->compute_energies();
            energies.push_back(ensemble->energies());
        }
        CHECK(energies[0] == energies[1]);
    }
}

TEST_CASE("fused kernel and single steps in turn: CUDA equals CPU") {
    const KernelChoice kernel("fused:3x3x1");
    const Shape shape{6, 2, 9, 160, 0, 64};
    Simulation cpu("cpu", shape), cuda("cuda", shape);
    for (Simulation* s : {&cpu, &cuda}) {
        s->run(0, 5);
        s->sampler->advance(15, 16);  // less than a period
        s->sampler->advance(16, 18);
        s->run(6, 5);
        s->sampler->advance(33, 35);
        s->ensemble().compute_energies();
    }
    check_equal(cpu, cuda);
}

TEST_CASE("other sizes, large batches, late sweeps: CUDA equals CPU") {
    for (int L : {14, 18, 22, 24, 26, 30, 48}) check_case({L, 2, 6, 130, 0, 128}, 0, 3);
    for (int temperatures : {2, 3}) check_case({8, 2, temperatures, 128 * 70, 0, 128}, 0, 2);
    check_case({8, 2, 2, 100, 0, 128}, 0, 3);
    // With many lattices fewer threads per plane count overlaps.
    const std::pair<int, int> many[] = {{4, 3300}, {6, 2000}, {8, 1700}, {10, 1300}, {12, 700}, {16, 600}};
    for (const auto& [L, realizations] : many) check_case({L, 2, 24, realizations, 0, 128}, 0, 1);
    check_case({4, 8, 64, 140, 128, 128}, (std::int64_t{1} << 40) / 3, 5);
    check_case({6, 2, 64, 140, 32 * 77, 32}, (std::int64_t{1} << 33) + 1, 5);
}

TEST_CASE("many rounds: walkers make round trips, CUDA equals CPU") {
    check_case({4, 2, 3, 100, 0, 128}, 0, 200);
    for (const char* plan : {"fused:3x3x1", "fused:1x1x1", "fused:2x1x4"}) {
        const KernelChoice kernel(plan);
        check_case({4, 2, 3, 100, 0, 128}, 0, 200);
    }
}

TEST_CASE("one burst or many bursts give the same spins") {
    const Shape shape{8, 2, 12, 128, 0, 64};
    Simulation a("cuda", shape), b("cuda", shape);
    a.ensemble().sweep(5, 9);
    for (int s = 5; s < 14; ++s) b.ensemble().sweep(s, 1);
    CHECK(a.ensemble().spins() == b.ensemble().spins());
}

TEST_CASE("a run continued from its saved state equals the run in one go") {
    const Shape shape{6, 3, 5, 200, 128, 128};
    Simulation whole("cuda", shape), first("cuda", shape), second("cuda", shape);
    whole.run(0, 9);
    first.run(0, 4);
    second.ensemble().set_spins(first.ensemble().spins());
    second.sampler->set_state(first.sampler->state());
    second.measurement->set_accumulators(first.measurement->accumulators());
    second.run(4, 5);
    check_equal(whole, second);
}
