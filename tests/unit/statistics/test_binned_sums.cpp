#include <doctest/doctest.h>

#include <vector>

#include "statistics/binned_sums.hpp"

using namespace psflip;

using Edges = std::vector<std::int64_t>;

static BinnedSums sums_of(const Edges& edges, double start) {
    BinnedSums sums;
    sums.edges = edges;
    for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
        sums.count.push_back(edges[b + 1] - edges[b]);
        for (auto& series : sums.sums) series.insert(series.end(), {start + b, 10.0 * b});
    }
    return sums;
}

TEST_CASE("edges halve from the end") {
    CHECK(halving_edges({0, 1, 2, 4, 8, 16}) == Edges{0, 1, 2, 4, 8, 16});
    CHECK(halving_edges({0, 1, 2, 4, 8, 16, 32}) == Edges{0, 1, 2, 4, 8, 16, 32});  // n, then n more
    CHECK(halving_edges({0, 4, 8, 16, 24}) == Edges{0, 4, 8, 16, 24});  // half of 24 is nearest 16 by ratio
    CHECK(halving_edges({0, 4, 8, 16, 24, 32}) == Edges{0, 4, 8, 16, 32});  // four chunks of 8
    CHECK(halving_edges({0, 5}) == Edges{0, 5});
    CHECK(halving_edges({8, 16}) == Edges{8, 16});
}

TEST_CASE("edges of equal parts") {
    CHECK(equal_edges({0, 1, 2, 3, 4, 5, 6, 7, 8}, 4) == Edges{0, 2, 4, 6, 8});
    CHECK(equal_edges({0, 1, 2, 3, 4, 8, 12, 16}, 4) == Edges{0, 4, 8, 12, 16});  // short run, long run
    CHECK(equal_edges({0, 10, 20}, 4) == Edges{0, 10, 20});  // not finer than what is there
}

TEST_CASE("bins merge and follow one another") {
    BinnedSums sums = sums_of({0, 1, 2, 4}, 1.0);
    const BinnedSums merged = merge_bins(sums, {0, 2, 4});
    CHECK(merged.count == std::vector<std::int64_t>{2, 2});
    CHECK(merged[Sum::link] == std::vector<double>{3.0, 10.0, 3.0, 20.0});
    append_bins(sums, sums_of({4, 8}, 5.0));
    CHECK(sums.edges == Edges{0, 1, 2, 4, 8});
    CHECK(sums[Sum::energy].size() == 8);
    CHECK_THROWS(append_bins(sums, sums_of({9, 10}, 0.0)));
    CHECK_THROWS(merge_bins(sums, {0, 3, 8}));
    CHECK_THROWS(merge_bins(sums, {0, 4}));
}

TEST_CASE("what is averaged begins at an edge, at most as late as asked") {
    const Edges edges = {0, 10, 20, 40, 80};
    CHECK(averaged_from(edges, 0.0) == 0);
    CHECK(averaged_from(edges, 0.49) == 20);
    CHECK(averaged_from(edges, 0.5) == 40);
    CHECK(averaged_from(edges, 0.9) == 40);
    CHECK(averaged_from({0, 80}, 0.5) == 0);
    const BinnedSums later = merge_bins(sums_of({0, 1, 2, 4}, 1.0), {2, 4});
    CHECK(later.edges == Edges{2, 4});
    CHECK(later.count == std::vector<std::int64_t>{2});
    CHECK(later[Sum::link] == std::vector<double>{3.0, 20.0});
    CHECK_THROWS(merge_bins(sums_of({0, 1, 2, 4}, 1.0), {3, 4}));
    CHECK(edges_from({0, 1, 2, 4}, 1) == std::vector<std::int64_t>{1, 2, 4});
    CHECK_THROWS(edges_from({0, 1, 2, 4}, 3));
}
