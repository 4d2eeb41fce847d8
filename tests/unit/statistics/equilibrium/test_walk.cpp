#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "statistics/equilibrium/walk.hpp"

using namespace psflip;

namespace {

constexpr std::int64_t interval = 10;

/// A run of `measurements` of walkers whose slots are drawn anew, all at once, with the probability p before
/// every measurement: their memory is exactly (1 - p)^k after k measurements. p(replica) for each replica.
template <class Probability>
RunSums walk_of(int temperatures, int replicas, std::int64_t realizations, std::int64_t measurements,
                int blocks, const Probability& p, std::uint64_t seed) {
    RunSums run;
    run.L = 4;
    run.replicas = replicas;
    run.temperatures = temperatures;
    run.realizations = realizations;
    run.run_last = interval * measurements;
    Parameters parameters{};
    parameters.run_sweeps = run.run_last;
    parameters.run.measure_every = interval;
    parameters.run.blocks = blocks;
    parameters.run.histogram_bins = 1;
    run.grid = run_grid(parameters);
    run.blocks.edges = run.grid.block_edges(0, run.run_last);
    const std::size_t bins = run.blocks.edges.size() - 1;
    run.blocks.count.assign(bins, 0);  // walk_times does not use it
    run.blocks[Sum::walker_slot].assign(bins * replicas * temperatures * realizations, 0);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform;
    std::vector<int> slot(temperatures);
    for (std::int64_t r = 0; r < realizations; ++r)
        for (int a = 0; a < replicas; ++a) {
            std::iota(slot.begin(), slot.end(), 0);
            std::size_t bin = 0;
            for (std::int64_t m = 1; m <= measurements; ++m) {
                if (uniform(generator) < p(a)) std::shuffle(slot.begin(), slot.end(), generator);
                if (m * interval > run.blocks.edges[bin + 1]) ++bin;
                for (int w = 0; w < temperatures; ++w)
                    run.blocks[Sum::walker_slot]
                              [((bin * replicas + a) * temperatures + w) * realizations + r] += slot[w];
            }
        }
    return run;
}

/// Expected tau_p in sweeps of parts of n measurements: variance of a mean of n with memory rho^k.
double expected(double rho, double n) {
    double sum = 1.0;
    for (int k = 1; k < static_cast<int>(n); ++k) sum += 2.0 * (1.0 - k / n) * std::pow(rho, k);
    return 0.5 * interval * sum;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("a walk of known memory has its autocorrelation time") {
    // Fast: 16 parts of 128 measurements decide. 300 realizations: each sqrt(2 / (16 * 7)) = 13%, together
    // 0.8%; tolerance 4%.
    for (const double p : {1.0, 0.5, 0.2}) {
        CAPTURE(p);
        const RunSums run = walk_of(
            8, 1, 300, 2048, 16, [&](int) { return p; }, 1);
        const std::vector<double> times = walk_times(run, 16);
        REQUIRE(times.size() == 300);
        CHECK(mean(times) == doctest::Approx(expected(1.0 - p, 128)).epsilon(0.04));
        CHECK(mean(times) == doctest::Approx(interval * (2.0 - p) / (2.0 * p)).epsilon(0.06));
    }
    // Slow: tau = 49.5 measurements. Parts of 512 or 1024 decide; their bias is 10 and 5%, single results
    // scatter by sqrt(2 / (2..4 * 7)) = 27 to 38%, together 2%; tolerance 12%.
    const RunSums slow = walk_of(
        8, 1, 300, 2048, 16, [](int) { return 0.02; }, 2);
    CHECK(mean(walk_times(slow, 16)) == doctest::Approx(expected(0.98, 1e5)).epsilon(0.12));
}

TEST_CASE("walkers that do not move: half of the run, exactly; the slowest replica counts") {
    for (const int blocks : {16, 6, 2, 1}) {
        CAPTURE(blocks);
        const RunSums frozen = walk_of(
            5, 1, 3, 960, blocks, [](int) { return 0.0; }, 3);
        for (const double time : walk_times(frozen, blocks))
            CHECK(time == doctest::Approx(4800.0).epsilon(1e-12));
        const RunSums mixed = walk_of(
            5, 2, 3, 960, blocks, [](int a) { return a == 0 ? 1.0 : 0.0; }, 4);
        for (const double time : walk_times(mixed, blocks))
            CHECK(time == doctest::Approx(4800.0).epsilon(1e-12));
    }
    const RunSums two = walk_of(
        6, 2, 300, 960, 16, [](int a) { return a == 0 ? 1.0 : 0.2; }, 5);
    CHECK(mean(walk_times(two, 16)) == doctest::Approx(expected(0.8, 60)).epsilon(0.05));
}

TEST_CASE("cut into files or not, the same times; none with one temperature") {
    const RunSums whole = walk_of(
        4, 2, 20, 1024, 8, [](int) { return 0.05; }, 6);
    RunSums first = whole, second = whole;
    const std::int64_t half = whole.run_last / 2;
    const auto cut = static_cast<std::ptrdiff_t>(whole.grid.block_edges(0, half).size()) - 1;
    const std::ptrdiff_t row = 4 * 2 * 20;
    first.blocks.edges = whole.grid.block_edges(0, half);
    second.blocks.edges = whole.grid.block_edges(half, whole.run_last);
    for (BinnedSums* blocks : {&first.blocks, &second.blocks})
        blocks->count.assign(blocks->edges.size() - 1, 0);
    first.blocks[Sum::walker_slot].resize(cut * row);
    auto& later = second.blocks[Sum::walker_slot];
    later.erase(later.begin(), later.begin() + cut * row);
    append_run(first, second);
    CHECK(walk_times(first, 8) == walk_times(whole, 8));
    CHECK(walk_times(walk_of(
                         1, 2, 3, 64, 4, [](int) { return 1.0; }, 7),
                     4)
              .empty());
}
