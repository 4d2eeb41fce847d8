#include <doctest/doctest.h>

#include <vector>

#include "measure/bins.hpp"
#include "reference/reference.hpp"

using namespace psflip;

namespace {

struct Range {
    std::int64_t first, last, run_sweeps, measure_every;
    int blocks;
};

std::vector<std::int64_t> edges_of(const std::vector<reference::Bin>& bins) {
    std::vector<std::int64_t> edges{bins.front().lower};
    for (const auto& bin : bins) edges.push_back(bin.upper);
    return edges;
}

}  // namespace

TEST_CASE("bins equal the reference's for first runs and continuations") {
    for (const Range& r : {Range{0, 8192, 8192, 100, 16},
                           {0, 1024, 1024, 1, 4},
                           {0, 1000, 1000, 10, 7},
                           {0, 100, 100, 100, 1},
                           {8192, 16384, 8192, 100, 16},
                           {16384, 24576, 8192, 100, 16},
                           {24576, 32768, 8192, 8, 5},
                           {1000, 9000, 1000, 10, 3},
                           {0, 8192, 1024, 8, 8}}) {
        reference::Schedule schedule;
        schedule.run_first = r.first;
        schedule.run_last = r.last;
        schedule.run_sweeps = r.run_sweeps;
        schedule.measure_every = r.measure_every;
        schedule.blocks = r.blocks;
        const RunBins bins = run_bins(r.first, r.last, r.run_sweeps, r.measure_every, r.blocks);
        CAPTURE(r.first);
        CAPTURE(r.last);
        CHECK(bins.log2_edges == edges_of(reference::log2_bins(schedule)));
        CHECK(bins.block_edges == edges_of(reference::block_bins(schedule)));
        for (std::int64_t sweep = r.first + 1; sweep <= r.last; ++sweep) {
            const int log2 = bins.log2_bin(sweep), block = bins.block_bin(sweep) - bins.n_log2();
            REQUIRE((bins.log2_edges.at(log2) < sweep && sweep <= bins.log2_edges.at(log2 + 1)));
            REQUIRE((bins.block_edges.at(block) < sweep && sweep <= bins.block_edges.at(block + 1)));
        }
        CHECK_THROWS(bins.log2_bin(r.first));
        CHECK_THROWS(bins.block_bin(r.last + 1));
    }
}

TEST_CASE("the log2 bins of a power of two are (n/2, n], (n/4, n/2], ...; the first takes the rest") {
    const RunBins bins = run_bins(0, 64, 64, 8, 2);
    CHECK(bins.log2_edges == std::vector<std::int64_t>{0, 8, 16, 32, 64});
    CHECK(bins.block_edges == std::vector<std::int64_t>{0, 32, 64});
    CHECK(run_bins(64, 256, 64, 8, 1).log2_edges == std::vector<std::int64_t>{64, 128, 256});
    CHECK(run_bins(0, 64, 64, 5, 2).log2_edges == std::vector<std::int64_t>{0, 8, 16, 32, 64});
}
