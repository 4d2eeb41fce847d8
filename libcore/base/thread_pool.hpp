#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace psflip {

/// Cores this process may use.
int available_threads();

/// Threads that share out tasks numbered 0 .. n-1. Idle threads sleep, and nobody waits for a thread that has
/// taken no task, so that a pool gets on where others use the cores, too.
class ThreadPool {
  public:
    /// The caller is one of the `threads`; 0: all cores this process may use. EnvironmentError where the
    /// system does not give them.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls task(i, thread) for every i in [0, n), n < 2^31, each once, in any order, on threads numbered 0
    /// .. threads()-1; returns when all are done. Tasks must not throw. Only the owner's thread calls this.
    void for_each(std::int64_t n, const std::function<void(std::int64_t, int)>& task);

  private:
    void join();
    void work(int thread);
    void take_tasks(int thread);

    std::vector<std::thread> workers_;
    const std::function<void(std::int64_t, int)>* task_ = nullptr;
    std::int64_t n_ = 0;
    std::atomic<std::int64_t> left_{0};        ///< tasks nobody has taken; may fall below 0
    std::atomic<std::int32_t> unfinished_{0};  ///< tasks
    std::atomic<std::uint32_t> round_{0};      ///< raised when work is given
    std::atomic<bool> stop_{false};
};

/// The calling thread alone, for functions that would share their work.
ThreadPool& caller_alone();

/// Calls task(begin, end) for consecutive ranges that make up [0, n), each once, on the threads of the pool.
/// What a task throws is thrown on when all others are done; of several, that of the lowest range.
void share_out(ThreadPool& pool, std::int64_t n,
               const std::function<void(std::int64_t begin, std::int64_t end)>& task);

}  // namespace psflip
