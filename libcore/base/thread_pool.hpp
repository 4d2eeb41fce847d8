#pragma once

// Shares work among threads. Callers divide work so that results do not depend on the number of threads.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace psflip {

/// Returns the number of cores that this process may use.
int available_threads();

/// Sets a maximum for available_threads, such as the --threads of a program. 0: no maximum.
void limit_available_threads(int threads);

/// Runs tasks in threads that take the next task when they are free. Idle threads sleep. for_each waits only
/// for threads that have taken a task, so a busy machine does not stop it.
class ThreadPool {
  public:
    /// Starts threads - 1 threads, because `threads` includes the calling thread. 0: one thread per core that
    /// this process may use. Errors: EnvironmentError if the system refuses threads.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls task(i, thread) once for every i in [0, n), in any order, with n < 2^31 and thread in [0,
    /// threads()). Returns after all tasks. Tasks must not throw. Only the thread that owns the pool may call
    /// this function.
    void for_each(std::int64_t n, const std::function<void(std::int64_t, int)>& task);

  private:
    void join();
    void work(int thread);
    void take_tasks(int thread);

    std::vector<std::thread> workers_;
    const std::function<void(std::int64_t, int)>* task_ = nullptr;
    std::int64_t n_ = 0;
    std::atomic<std::int64_t> left_{0};        ///< tasks that no thread has taken; may fall below 0
    std::atomic<std::int32_t> unfinished_{0};  ///< tasks that are not done
    std::atomic<std::uint32_t> round_{0};      ///< increases with each for_each
    std::atomic<bool> stop_{false};
};

/// Returns a pool with the calling thread alone.
ThreadPool& caller_alone();

/// Calls task(begin, end) for consecutive ranges of [0, n) on the threads of the pool. If tasks throw, the
/// error of the lowest range is rethrown after all tasks are done.
void share_out(ThreadPool& pool, std::int64_t n,
               const std::function<void(std::int64_t begin, std::int64_t end)>& task);

}  // namespace psflip
