#include <doctest/doctest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_pool.hpp"

using namespace psflip;

TEST_CASE("every task once, by threads with different numbers, done when for_each returns") {
    for (const int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        CHECK(pool.threads() == threads);
        std::vector<int> calls, now(threads, 0);
        for (int round = 0; round < 3000; ++round) {
            const int n = round % 7 == 0 ? 0 : round % 13 + (round % 1000 == 1 ? 5000 : 0);
            calls.assign(n, 0);
            std::atomic<int> wrong{0};
            pool.for_each(n, [&](std::int64_t i, int thread) {
                if (i < 0 || i >= n || thread < 0 || thread >= threads || ++now[thread] != 1) ++wrong;
                ++calls[i];
                --now[thread];
            });
            REQUIRE(wrong == 0);
            REQUIRE(calls == std::vector<int>(n, 1));
        }
    }
}

TEST_CASE("ranges cover all items once; the first failure is thrown") {
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        for (const std::int64_t n : {0, 1, 2, 47, 48, 49, 100003}) {
            std::vector<int> calls(n, 0);
            share_out(pool, n, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) ++calls[i];
            });
            CHECK(calls == std::vector<int>(n, 1));
        }
        CHECK_THROWS_WITH(share_out(pool, 1000,
                                    [](std::int64_t begin, std::int64_t end) {
                                        for (const std::int64_t bad : {400, 900})
                                            if (begin <= bad && bad < end)
                                                throw std::runtime_error(std::to_string(bad));
                                    }),
                          "400");
    }
    CHECK(caller_alone().threads() == 1);
}

TEST_CASE("tasks of a round are of that round, also for threads that come late") {
    ThreadPool pool(6);
    for (int round = 0; round < 20000; ++round) {
        std::atomic<int> sum{0};
        pool.for_each(2, [&sum, round](std::int64_t i, int) { sum += round + static_cast<int>(i); });
        REQUIRE(sum == 2 * round + 1);
    }
}

namespace {

std::atomic<bool> held{false};
int gate[2];

/// Keeps a thread until something is written to the gate, as a scheduler does that has other work.
void hold(int) {
    held = true;
    char byte;
    while (read(gate[0], &byte, 1) < 0) {
    }
}

}  // namespace

TEST_CASE("nobody waits for a thread that has taken no task") {
    ThreadPool pool(2);
    std::atomic<bool> known{false};
    pthread_t worker{};
    pool.for_each(2, [&](std::int64_t, int thread) {
        if (thread == 1) worker = pthread_self();
        if (thread == 1) known = true;
        while (!known) std::this_thread::yield();
    });
    REQUIRE(pipe(gate) == 0);
    std::signal(SIGUSR2, hold);
    pthread_kill(worker, SIGUSR2);
    while (!held) std::this_thread::yield();
    int tasks = 0;
    for (int round = 0; round < 10; ++round)
        pool.for_each(5, [&](std::int64_t, int thread) { tasks += thread == 0; });
    CHECK(tasks == 50);
    CHECK(write(gate[1], "", 1) == 1);
    std::signal(SIGUSR2, SIG_DFL);
}

TEST_CASE("a maximum for the threads of pools that take all cores") {
    const int cores = available_threads();
    limit_available_threads(1);
    CHECK(available_threads() == 1);
    CHECK(ThreadPool(0).threads() == 1);
    limit_available_threads(cores + 1);
    CHECK(available_threads() == cores);
    limit_available_threads(0);
    CHECK(ThreadPool(0).threads() == cores);
}
