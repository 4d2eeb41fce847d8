#include "slab/halo_way.hpp"

#include <doctest/doctest.h>

#include <atomic>

#include "base/error.hpp"
#include "slab/ranks.hpp"
#include "unit/messages.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

/// The way that all of three ranks take, where peers are hindered so; "error: ..." where all of them throw.
std::string way_of_three(const std::string& wanted, const std::string& hindrance, int* asked = nullptr) {
    std::atomic<int> asking = 0;
    std::vector<std::string> ways(3);
    with_local_ranks(3, [&](Ranks& ranks) {
        const auto hindered = [&] {
            ++asking;
            ranks.barrier();
            return hindrance;
        };
        try {
            ways[ranks.rank()] = halo_way(ranks, wanted, hindered);
        } catch (const Error& error) {
            ways[ranks.rank()] = error.of_all_ranks() ? std::string("error: ") + error.what() : "alone";
        }
        ranks.barrier();
    });
    if (asked != nullptr) *asked = asking;
    CHECK(ways[1] == ways[0]);
    CHECK(ways[2] == ways[0]);
    return ways[0];
}

}  // namespace

TEST_CASE("halos take the first way that works, or the one that is wanted, on all ranks") {
    int asked = 0;
    CHECK(way_of_three("auto", "") == "peer");
    CHECK(way_of_three("auto", "no handles", &asked) == "host");
    CHECK(asked == 3);
    CHECK(way_of_three("peer", "") == "peer");
    CHECK(way_of_three("host", "", &asked) == "host");
    CHECK(asked == 0);
}

TEST_CASE("a wanted way of halos that does not work is an error of all ranks") {
    const std::string peer = way_of_three("peer", "no handles");
    CHECK(contains(peer, "error: --halo peer does not work here: no handles; use auto"));
    CHECK(contains(way_of_three("mpi", ""), "error: --halo mpi does not work here"));
    CHECK(contains(way_of_three("wire", ""), "error: --halo 'wire' is unknown"));
}
