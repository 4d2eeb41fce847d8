#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/pipeline.hpp"

using namespace psflip;

TEST_CASE("every item goes through its steps, the first and the last in order and by the caller") {
    for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        for (const int window : {1, 3, 2 * threads}) {
            for (const std::int64_t n : {0, 1, 2, 7, 500}) {
                const auto caller = std::this_thread::get_id();
                std::vector<std::int64_t> prepared, finished, place(window, -1);
                std::vector<int> worked(n, 0);
                std::atomic<int> wrong{0};
                run_pipeline(pool, n, window,
                             {.prepare =
                                  [&](std::int64_t i) {
                                      if (std::this_thread::get_id() != caller || place[i % window] != -1)
                                          ++wrong;
                                      prepared.push_back(i);
                                      place[i % window] = i;
                                  },
                              .work =
                                  [&](std::int64_t i, int thread) {
                                      if (place[i % window] != i || thread < 0 || thread >= threads) ++wrong;
                                      ++worked[i];
                                  },
                              .finish =
                                  [&](std::int64_t i) {
                                      if (std::this_thread::get_id() != caller || worked[i] != 1) ++wrong;
                                      finished.push_back(i);
                                      place[i % window] = -1;
                                  }});
                CHECK(wrong == 0);
                std::vector<std::int64_t> all;
                for (std::int64_t i = 0; i < n; ++i) all.push_back(i);
                CHECK(prepared == all);
                CHECK(finished == all);
                CHECK(worked == std::vector<int>(n, 1));
            }
        }
    }
}

TEST_CASE("the failure of the first item in order is thrown, whichever thread comes first") {
    ThreadPool pool(4);
    const auto nothing = [](std::int64_t) {};
    for (int round = 0; round < 200; ++round) {
        std::int64_t last = -1;
        CHECK_THROWS_WITH(run_pipeline(pool, 50, 8,
                                       {.prepare = nothing,
                                        .work =
                                            [](std::int64_t i, int) {
                                                if (i == 20 || i == 21)
                                                    throw std::runtime_error(std::to_string(i));
                                            },
                                        .finish = [&](std::int64_t i) { last = i; }}),
                          "20");
        CHECK(last == 19);
    }
    const auto fails = [](std::int64_t i) {
        if (i == 3) throw std::runtime_error("in order");
    };
    CHECK_THROWS_WITH(run_pipeline(pool, 50, 8, {fails, [](std::int64_t, int) {}, nothing}), "in order");
    CHECK_THROWS_WITH(run_pipeline(pool, 50, 8, {nothing, [](std::int64_t, int) {}, fails}), "in order");
}
