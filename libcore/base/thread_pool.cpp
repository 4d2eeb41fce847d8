#include "base/thread_pool.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <system_error>

#include "base/error.hpp"

namespace psflip {

namespace {

std::atomic<int> max_threads{0};  ///< 0: no maximum

int cores_of_process() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int available_threads() {
    const int cores = cores_of_process(), most = max_threads;
    return most > 0 ? std::min(most, cores) : cores;
}

void limit_available_threads(int threads) {
    max_threads = threads;
}

ThreadPool::ThreadPool(int threads) {
    const int total = threads > 0 ? threads : available_threads();
    try {
        for (int thread = 1; thread < total; ++thread)
            workers_.emplace_back([this, thread] { work(thread); });
    } catch (const std::system_error& error) {
        const std::size_t started = workers_.size() + 1;
        join();
        throw EnvironmentError(
            fmt::format("the system started only {} of {} threads ({}); use a smaller --threads", started,
                        total, error.what()));
    }
}

ThreadPool::~ThreadPool() {
    join();
}

void ThreadPool::join() {
    stop_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    for (auto& worker : workers_) worker.join();
}

void ThreadPool::for_each(std::int64_t n, const std::function<void(std::int64_t, int)>& task) {
    if (n < 1) return;
    n_ = n;
    task_ = &task;
    unfinished_.store(static_cast<std::int32_t>(n));
    left_.store(n);  // now a late thread of the previous round can take a task, too
    if (!workers_.empty() && n > 1) {
        round_.fetch_add(1);
        round_.notify_all();
    }
    take_tasks(0);
    for (std::int32_t tasks = unfinished_.load(); tasks != 0; tasks = unfinished_.load())
        unfinished_.wait(tasks);
}

void ThreadPool::take_tasks(int thread) {
    // n_ and task_ stay unchanged while a task is unfinished
    for (std::int64_t left = left_.fetch_sub(1); left > 0; left = left_.fetch_sub(1)) {
        (*task_)(n_ - left, thread);
        if (unfinished_.fetch_sub(1) == 1 && thread != 0) unfinished_.notify_one();
    }
}

void ThreadPool::work(int thread) {
    for (std::uint32_t seen = 0;;) {
        round_.wait(seen);
        seen = round_.load();
        if (stop_) return;
        take_tasks(thread);
    }
}

ThreadPool& caller_alone() {
    thread_local ThreadPool alone(1);
    return alone;
}

void share_out(ThreadPool& pool, std::int64_t n,
               const std::function<void(std::int64_t, std::int64_t)>& task) {
    const std::int64_t each = 16;  // ranges per thread, so that threads end at similar times
    const std::int64_t ranges =
        pool.threads() == 1 ? std::min<std::int64_t>(n, 1) : std::min<std::int64_t>(n, each * pool.threads());
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(std::max<std::int64_t>(ranges, 0)));
    pool.for_each(ranges, [&](std::int64_t i, int) {
        try {
            task(n / ranges * i + n % ranges * i / ranges,
                 n / ranges * (i + 1) + n % ranges * (i + 1) / ranges);
        } catch (...) {
            failures[static_cast<std::size_t>(i)] = std::current_exception();
        }
    });
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace psflip
