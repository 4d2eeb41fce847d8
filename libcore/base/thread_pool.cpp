#include "base/thread_pool.hpp"

#include <sched.h>

#include <algorithm>

namespace psflip {

int available_threads() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
    return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(int threads) {
    const int total = threads > 0 ? threads : available_threads();
    for (int thread = 1; thread < total; ++thread) workers_.emplace_back([this, thread] { work(thread); });
}

ThreadPool::~ThreadPool() {
    stop_ = true;
    round_.fetch_add(1);
    round_.notify_all();
    for (auto& worker : workers_) worker.join();
}

void ThreadPool::for_each(std::int64_t n, const std::function<void(std::int64_t, int)>& task) {
    n_ = n;
    task_ = &task;
    next_.store(0);
    if (!workers_.empty() && n > 1) {
        busy_.store(static_cast<int>(workers_.size()));
        round_.fetch_add(1);
        round_.notify_all();
    }
    take_tasks(0);
    for (int busy = busy_.load(); busy != 0; busy = busy_.load()) busy_.wait(busy);
}

void ThreadPool::take_tasks(int thread) {
    for (std::int64_t i = next_.fetch_add(1); i < n_; i = next_.fetch_add(1)) (*task_)(i, thread);
}

void ThreadPool::work(int thread) {
    for (std::uint32_t seen = 0;;) {
        round_.wait(seen);
        ++seen;
        if (stop_) return;
        take_tasks(thread);
        if (busy_.fetch_sub(1) == 1) busy_.notify_one();
    }
}

}  // namespace psflip
