#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "measure/bins.hpp"

using namespace psflip;
using Edges = std::vector<std::int64_t>;

namespace {

/// The log2 bin of a whole run that holds a chunk's bin: the chunk's bin must not straddle an edge.
bool inside_one(const Edges& whole, std::int64_t lower, std::int64_t upper) {
    const auto edge = std::upper_bound(whole.begin(), whole.end(), lower);
    return edge != whole.end() && upper <= *edge;
}

}  // namespace

TEST_CASE("a first run has the bins (n/2, n], (n/4, n/2], ...; sizes need not be powers of two") {
    CHECK(run_bins(0, 1024, 1024, 1024, 1).log2_edges == Edges{0, 1024});
    CHECK(run_bins(0, 1024, 1024, 100, 1).log2_edges == Edges{0, 128, 256, 512, 1024});
    CHECK(run_bins(0, 1000, 1000, 10, 1).log2_edges == Edges{0, 15, 31, 62, 125, 250, 500, 1000});
    CHECK(run_bins(0, 7, 7, 1, 1).log2_edges == Edges{0, 1, 3, 7});
}

TEST_CASE("a continuation (n, 2n] has one bin, (2n, 3n] and (3n, 4n] are halves of (2n, 4n]") {
    CHECK(run_bins(1000, 2000, 1000, 10, 1).log2_edges == Edges{1000, 2000});
    CHECK(run_bins(2000, 3000, 1000, 10, 1).log2_edges == Edges{2000, 3000});
    CHECK(run_bins(3000, 4000, 1000, 10, 1).log2_edges == Edges{3000, 4000});
    CHECK(run_bins(4000, 5000, 1000, 10, 1).log2_edges == Edges{4000, 5000});
    CHECK(run_bins(3000, 5000, 1000, 10, 1).log2_edges == Edges{3000, 4000, 5000});
}

TEST_CASE("chunks that double merge into the bins of one long run") {
    for (const std::int64_t n : {64, 1000, 8192, 999}) {
        const Edges whole = run_bins(0, 4 * n, 4 * n, 8, 16).log2_edges;
        Edges merged = run_bins(0, n, n, 8, 16).log2_edges;
        for (const std::int64_t first : {n, 2 * n}) {
            const Edges chunk = run_bins(first, 2 * first, first, 8, 16).log2_edges;
            CHECK(chunk == Edges{first, 2 * first});
            merged.push_back(chunk.back());
        }
        CHECK(merged == whole);
    }
}

TEST_CASE("bins of equal chunks never straddle an edge of the long run, and hold its measurements once") {
    const std::int64_t n = 800, every = 30, chunks = 8;
    const RunBins whole = run_bins(0, chunks * n, chunks * n, every, 16);
    std::map<int, int> counts;
    for (std::int64_t c = 0; c < chunks; ++c) {
        const RunBins bins = run_bins(c * n, (c + 1) * n, n, every, 16);
        CHECK(bins.block_edges.front() == c * n);
        CHECK(bins.block_edges.back() == (c + 1) * n);
        for (int b = 0; b < bins.n_log2(); ++b)
            CHECK(inside_one(whole.log2_edges, bins.log2_edges[b], bins.log2_edges[b + 1]));
        for (std::int64_t sweep = (c * n / every + 1) * every; sweep <= (c + 1) * n; sweep += every)
            ++counts[whole.log2_bin(bins.log2_edges[bins.log2_bin(sweep)] + 1)];
    }
    for (int b = 0; b < whole.n_log2(); ++b)
        CHECK(counts[b] == whole.log2_edges[b + 1] / every - whole.log2_edges[b] / every);
}

TEST_CASE("blocks divide the range; every bin of a first run holds a measurement") {
    CHECK(run_bins(0, 1000, 1000, 10, 4).block_edges == Edges{0, 250, 500, 750, 1000});
    CHECK(run_bins(100, 110, 10, 1, 3).block_edges == Edges{100, 103, 106, 110});
    const RunBins huge = run_bins(0, std::int64_t{1} << 47, std::int64_t{1} << 47, 1000, 1024);
    CHECK(huge.block_edges.back() == std::int64_t{1} << 47);
    for (int b = 0; b < huge.n_log2(); ++b) CHECK(huge.log2_edges[b + 1] / 1000 > huge.log2_edges[b] / 1000);
}

TEST_CASE("sweeps outside and impossible arguments are errors of the program") {
    const RunBins bins = run_bins(10, 20, 10, 1, 2);
    CHECK(bins.log2_bin(11) == 0);
    CHECK(bins.block_bin(20) == bins.bins() - 1);
    CHECK_THROWS_AS(bins.log2_bin(10), std::out_of_range);
    CHECK_THROWS_AS(bins.block_bin(21), std::out_of_range);
    CHECK_THROWS_AS(run_bins(5, 5, 10, 1, 2), std::invalid_argument);
    CHECK_THROWS_AS(run_bins(-1, 5, 10, 1, 2), std::invalid_argument);
    CHECK_THROWS_AS(run_bins(0, 5, 10, 0, 2), std::invalid_argument);
    CHECK_THROWS_AS(run_bins(0, 5, 10, 1, 0), std::invalid_argument);
}
