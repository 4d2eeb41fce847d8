#include "slab/ranks.hpp"

#include <doctest/doctest.h>

#include <atomic>

#include "mpi/ranks_checks.hpp"
#include "slab/agreement.hpp"
#include "slab/mpi_ranks.hpp"
#include "slab/ranks.hpp"
#include "unit/messages.hpp"

using namespace psflip;
using namespace psflip::test;

TEST_CASE("one rank, and ranks that are threads, do together what ranks do") {
    CHECK(wrong_of(single_rank(), 1000) == "");
    for (const int n : {1, 2, 3, 5}) {
        std::atomic<int> right = 0;
        with_local_ranks(n,
                         [&](Ranks& ranks) { right += ranks.size() == n && wrong_of(ranks, 1000).empty(); });
        CHECK(right == n);
    }
}

TEST_CASE("the planes of ranks cover the lattice, two or more each, evenly") {
    for (int L = 4; L <= 40; L += 2)
        for (int n = 1; n <= L / 2; ++n) {
            int next = 0;
            for (int rank = 0; rank < n; ++rank) {
                const SlabPlanes planes = planes_of_rank(L, rank, n);
                CHECK(planes.first == next);
                CHECK(planes.count % 2 == 0);
                CHECK(planes.count >= 2);
                CHECK(planes.count - L / n < 2 + L % n);
                next += planes.count;
            }
            CHECK(next == L);
        }
    CHECK(contains(message_of<InputError>([] { planes_of_rank(8, 0, 5); }), "at most 4 ranks"));
}

TEST_CASE("if a rank fails, all ranks throw one error, and rank 0 can name the rank") {
    std::atomic<int> threw = 0;
    with_local_ranks(3, [&](Ranks& ranks) {
        try {
            all_do(ranks, [&] {
                if (ranks.rank() == 2) throw DiskFullError("no room");
            });
        } catch (const DiskFullError& error) {
            threw += error.of_all_ranks() && contains(error.what(), "rank 2 of 3 (") &&
                     contains(error.what(), "): no room");
        }
        try {
            all_do(ranks, [] { throw InputError("no such file"); });
        } catch (const InputError& error) {
            threw += error.of_all_ranks() && std::string(error.what()) == "no such file";
        }
        int calls = 0;
        first_does(ranks, [&] { ++calls; });
        threw += calls == (ranks.is_first() ? 1 : 0);
        try {
            first_does(ranks, [] { throw std::runtime_error("strange"); });
        } catch (const EnvironmentError& error) {
            threw += error.of_all_ranks() && std::string(error.what()) == "strange";
        }
    });
    CHECK(threw == 12);
}

TEST_CASE("one rank throws what it threw") {
    CHECK_THROWS_AS(all_do(single_rank(), [] { throw std::out_of_range("x"); }), std::out_of_range);
    try {
        first_does(single_rank(), [] { throw InputError("x"); });
        FAIL("no error was thrown");
    } catch (const InputError& error) {
        CHECK(!error.of_all_ranks());
    }
}

TEST_CASE("ranks with another value are named") {
    std::atomic<int> named = 0;
    with_local_ranks(4, [&](Ranks& ranks) {
        check_same_on_ranks(ranks, {{"version", "1.0"}, {"hash", "abc"}});
        const std::string message = message_of<InputError>([&] {
            check_same_on_ranks(ranks, {{"version", "1.0"}, {"hash", ranks.rank() >= 2 ? "abc" : "ab"}});
        });
        named +=
            contains(message, "rank 2 of 4 (") && contains(message, "another hash than rank 0: abc instead");
        const RanksHere here = ranks_here(ranks);
        named += here.count == 4 && here.below == ranks.rank();
        named += of_first(ranks, 1.5 + ranks.rank()) == 1.5;
        named += of_first(ranks, std::string(3 + ranks.rank(), 'x')) == "xxx";
    });
    CHECK(named == 16);
}

TEST_CASE("the launcher is known by its environment") {
    const auto launched = [](std::initializer_list<std::pair<const char*, const char*>> variables) {
        for (const auto& [name, value] : variables) setenv(name, value, 1);
        const Launch found = launch();
        for (const auto& [name, value] : variables) unsetenv(name);
        return 100 * found.ranks + found.rank;
    };
    CHECK(launched({}) == 100);
    CHECK(launched({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}) == 403);
    CHECK(launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}) == 200);
    CHECK(launched({{"SLURM_STEP_NUM_TASKS", "8"}, {"PMIX_RANK", "5"}}) == 805);
    CHECK(launched({{"SLURM_STEP_NUM_TASKS", "8"}}) == 100);
    CHECK_THROWS_AS(launched({{"PMI_SIZE", "two"}, {"PMI_RANK", "0"}}), InputError);
    unsetenv("PMI_SIZE");
    unsetenv("PMI_RANK");
}
