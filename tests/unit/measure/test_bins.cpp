#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure/run_grid.hpp"
#include "reference/reference.hpp"
#include "unit/messages.hpp"

using namespace psflip;
using namespace psflip::test;
using Edges = std::vector<std::int64_t>;

namespace {

RunGrid grid_of(std::int64_t run_sweeps, std::int64_t measure_every, int blocks) {
    Parameters p{};
    p.run_sweeps = run_sweeps;
    p.run.measure_every = measure_every;
    p.run.blocks = blocks;
    p.run.histogram_bins = 50;
    return run_grid(p);
}

struct Study {
    std::int64_t run_sweeps, measure_every;
    int blocks;
};

/// Powers of two, odd and even multiples, odd sweeps (one octave only), one block, blocks that do not divide.
const Study studies[] = {{8192, 100, 16}, {1024, 1, 4}, {1000, 10, 8}, {100, 100, 1},
                         {1001, 10, 6},   {7, 1, 2},    {96, 1, 1},    {1600, 100, 16},
                         {4000, 20, 2},   {999, 1, 16}, {120, 10, 4},  {std::int64_t{3} << 30, 100, 32}};

}  // namespace

TEST_CASE("the base is run.sweeps halved while a half has room; twice run.sweeps has the same grid") {
    CHECK(grid_of(8192, 100, 16).base == 2048);
    CHECK(grid_of(1600, 100, 16).base == 1600);
    CHECK(grid_of(3200, 100, 16).base == 1600);
    CHECK(grid_of(1001, 10, 6).base == 1001);
    CHECK(grid_of(64, 1, 1).base == 1);
    for (const Study& s : studies) {
        const RunGrid grid = grid_of(s.run_sweeps, s.measure_every, s.blocks);
        CHECK(grid.base / s.measure_every >= s.blocks);
        CHECK(grid.is_end(s.run_sweeps));
        for (int k = 1; k < 5; ++k) CHECK(grid_of(s.run_sweeps << k, s.measure_every, s.blocks) == grid);
    }
}

TEST_CASE("blocks equal the reference's for first runs and continuations; each holds a measurement") {
    for (const Study& s : studies) {
        if (s.run_sweeps > 10000) continue;
        const RunGrid grid = grid_of(s.run_sweeps, s.measure_every, s.blocks);
        for (const auto& [first, last] : {std::pair<std::int64_t, std::int64_t>{0, s.run_sweeps},
                                          {0, 4 * s.run_sweeps},
                                          {s.run_sweeps, 2 * s.run_sweeps},
                                          {s.run_sweeps, 8 * s.run_sweeps}}) {
            CAPTURE(s.run_sweeps);
            CAPTURE(first);
            reference::Schedule schedule;
            schedule.run_first = first;
            schedule.run_last = last;
            schedule.run_sweeps = s.run_sweeps;
            schedule.measure_every = s.measure_every;
            schedule.blocks = s.blocks;
            const RunBins bins{grid.block_edges(first, last)};
            Edges expected{first};
            for (const auto& bin : reference::block_bins(schedule)) {
                CHECK(bin.lower == expected.back());
                expected.push_back(bin.upper);
            }
            CHECK(bins.edges == expected);
            for (int b = 0; b < bins.count(); ++b) {
                CHECK(bins.edges[b + 1] / s.measure_every > bins.edges[b] / s.measure_every);
                CHECK(bins.bin(bins.edges[b] + 1) == b);
                CHECK(bins.bin(bins.edges[b + 1]) == b);
            }
            CHECK_THROWS_AS(bins.bin(first), std::out_of_range);
            CHECK_THROWS_AS(bins.bin(last + 1), std::out_of_range);
        }
    }
}

TEST_CASE("edges written out") {
    CHECK(grid_of(64, 8, 2).block_edges(0, 64) == Edges{0, 8, 16, 32, 64});
    CHECK(grid_of(64, 8, 2).block_edges(64, 256) == Edges{64, 128, 256});
    CHECK(grid_of(160, 10, 4).block_edges(0, 160) == Edges{0, 10, 20, 30, 40, 60, 80, 120, 160});
    CHECK(grid_of(7, 1, 2).block_edges(0, 28) == Edges{0, 3, 7, 14, 28});
    CHECK(grid_of(1001, 10, 4).block_edges(0, 2002) == Edges{0, 250, 500, 750, 1001, 1501, 2002});
    CHECK(grid_of(8, 1, 1).block_edges(0, 8) == Edges{0, 1, 2, 4, 8});
}

TEST_CASE("run files follow one another on one grid, which holds equal blocks of the whole and its halves") {
    for (const Study& s : studies) {
        const RunGrid grid = grid_of(s.run_sweeps, s.measure_every, s.blocks);
        CAPTURE(s.run_sweeps);
        for (int k = 0; k < 6; ++k) {
            const std::int64_t end = grid.base << k;
            const Edges whole = grid.block_edges(0, end);
            Edges parts = grid.block_edges(0, grid.base);
            for (std::int64_t first = grid.base; first < end; first = grid.next_end(first)) {
                const Edges next = grid.block_edges(first, grid.next_end(first));
                parts.insert(parts.end(), next.begin() + 1, next.end());
            }
            CHECK(parts == whole);
            CHECK(static_cast<int>(whole.size()) == s.blocks + k * std::max(1, s.blocks / 2) + 1);
            const auto on_grid = [&](std::int64_t edge) {
                return std::find(whole.begin(), whole.end(), edge) != whole.end();
            };
            for (int i = 0; i <= s.blocks; ++i)
                CHECK(on_grid(end / s.blocks * i + end % s.blocks * i / s.blocks));
            for (std::int64_t half = end; half >= grid.base; half /= 2) CHECK(on_grid(half));
        }
    }
}

TEST_CASE("where a run ends by default, and what is refused") {
    const RunGrid grid = grid_of(8192, 100, 16);  // base 2048
    CHECK(run_end(grid, 0, 8192, 0) == 8192);
    CHECK(run_end(grid, 4096, 8192, 0) == 8192);
    CHECK(run_end(grid, 8192, 8192, 0) == 16384);
    CHECK(run_end(grid, 16384, 8192, 0) == 32768);
    CHECK(run_end(grid, 8192, 65536, 0) == 65536);
    CHECK(run_end(grid, 0, 8192, 2048) == 2048);
    CHECK(run_end(grid, 4096, 8192, 65536) == 65536);
    std::string message = message_of<InputError>([&] { run_end(grid, 4096, 8192, 12000); });
    CHECK(contains(message, "cannot end at sweep 12000 (--until)"));
    CHECK(contains(message, "8192, 16384, 32768, ... (2048 times a power of two)"));
    message = message_of<InputError>([&] { run_end(grid, 8192, 12000, 0); });
    CHECK(contains(message, "cannot end at sweep 12000 (run.sweeps)"));
    CHECK(contains(message, "16384, 32768"));
    CHECK(contains(message_of<InputError>([&] { run_end(grid, 8192, 8192, 8192); }), "16384, 32768"));
    CHECK(contains(message_of<InputError>([&] { run_end(grid, 8192, 8192, 4096); }), "stands at sweep 8192"));
    CHECK(contains(message_of<InputError>([&] { run_end(grid, 0, 8192, 100); }), "2048, 4096, 8192"));
    CHECK(contains(message_of<InputError>([&] { run_end(grid, 0, 8192, 1000000); }), "524288, 1048576"));
}

TEST_CASE("grids that do not fit together are refused by key and both values") {
    const RunGrid a = grid_of(8192, 100, 16);
    RunGrid b = a;
    check_same_grid("one", a, "two", b, true, "remedy");
    b.base = 1024;
    check_same_grid("one", a, "two", b, false, "remedy");
    const auto refused = [&](const RunGrid& other, bool with_base) {
        return message_of<InputError>([&] { check_same_grid("one", a, "two", other, with_base, "remedy"); });
    };
    CHECK(refused(b, true) == "one has grid_base = 2048, but two has 1024; remedy");
    b = a;
    b.measure_every = 50;
    CHECK(refused(b, false) == "one has run.measure_every = 100, but two has 50; remedy");
    b = a;
    b.blocks = 8;
    CHECK(refused(b, false) == "one has run.blocks = 16, but two has 8; remedy");
    b = a;
    b.histogram_bins = 7;
    CHECK(refused(b, false) == "one has run.histogram_bins = 50, but two has 7; remedy");
}

TEST_CASE("ranges off the grid are errors of the program") {
    const RunGrid grid = grid_of(64, 8, 2);
    CHECK_THROWS_AS(grid.block_edges(5, 64), std::invalid_argument);
    CHECK_THROWS_AS(grid.block_edges(0, 48), std::invalid_argument);
    CHECK_THROWS_AS(grid.block_edges(64, 64), std::invalid_argument);
    CHECK_THROWS_AS(grid.block_edges(64, 32), std::invalid_argument);
    CHECK_THROWS_AS((RunGrid{64, 3, 8, 50}.block_edges(0, 64)), std::invalid_argument);
    CHECK_THROWS_AS(run_end(grid, 5, 64, 0), std::invalid_argument);
    CHECK_THROWS_AS(RunBins{}.bin(1), std::out_of_range);
}
