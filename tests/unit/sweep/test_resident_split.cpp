#include <doctest/doctest.h>

#include <cmath>

#include "sweep/resident/resident_split.hpp"

using namespace psflip;

namespace {

/// Returns how many clusters of 1 to 16 blocks fit into groups.
std::vector<int> clusters_in(const std::vector<int>& groups) {
    std::vector<int> clusters(16);
    for (int size = 1; size <= 16; ++size)
        for (const int group : groups) clusters[size - 1] += group / size;
    return clusters;
}

/// Returns the time of waves of three clusters per stack, `together` clusters at a time.
auto waves(double time, int together) {
    return
        [=](std::int64_t stacks) { return time * std::ceil(3.0 * static_cast<double>(stacks) / together); };
}

}  // namespace

TEST_CASE("groups of multiprocessors from the clusters that fit") {
    for (const std::vector<int>& groups : {std::vector<int>{18, 18, 18, 18, 18, 18, 16, 8},
                                           {18, 18, 18, 18, 18, 16, 16, 10},
                                           {18, 18, 16, 16, 16, 16, 16, 16},
                                           {20, 20, 18, 18, 18, 18, 18, 18},
                                           {14, 12, 9},
                                           {1}})
        CHECK(multiprocessor_groups(clusters_in(groups)) == groups);
    std::vector<int> impossible = clusters_in({18, 16});
    impossible[1] -= 2;
    CHECK(multiprocessor_groups(impossible).empty());
}

TEST_CASE("clusters that fit next to larger clusters") {
    const std::vector<int> groups{18, 18, 18, 18, 18, 18, 16, 8};
    CHECK(clusters_left(groups, 8, 2) == 6);
    CHECK(clusters_left(groups, 8, 1) == 12);
    CHECK(clusters_left(groups, 8, 4) == 0);
    CHECK(clusters_left(groups, 7, 4) == 6);
    CHECK(clusters_left(groups, 16, 8) == 1);
    CHECK(clusters_left(groups, 1, 1) == 0);
    CHECK(clusters_left({}, 8, 2) == 0);
}

TEST_CASE("stacks of both plans end together") {
    const auto first = waves(1, 15);  // 26 waves of 128 stacks
    const StackSplit even = split_stacks(128, first, waves(1, 3));
    CHECK(even.cost == 22);
    CHECK(even.second == 18);  // 110 stacks are 22 waves
    const StackSplit slow = split_stacks(128, first, waves(7, 3));
    CHECK(slow.cost == 25);
    CHECK(slow.second == 3);
    CHECK(split_stacks(128, first, waves(100, 3)).second == 0);
    CHECK(split_stacks(5, first, waves(0.1, 3)).second == 0);  // one wave anyhow
    CHECK(split_stacks(1, first, waves(0, 3)).second == 0);
    for (std::int64_t stacks = 1; stacks < 60; ++stacks)
        for (const double time : {0.3, 1.0, 1.7, 4.0}) {
            const auto second = waves(time, 2);
            double best = first(stacks);
            for (std::int64_t n = 1; n < stacks; ++n)
                best = std::min(best, std::max(first(stacks - n), second(n)));
            const StackSplit found = split_stacks(stacks, first, second);
            INFO("stacks " << stacks << ", time " << time);
            CHECK(found.cost == best);
            CHECK(found.second < stacks);
            if (found.second > 0) CHECK(std::max(first(stacks - found.second), second(found.second)) == best);
        }
}
