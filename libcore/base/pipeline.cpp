#include "base/pipeline.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

namespace psflip {
namespace {

class Pipeline {
  public:
    Pipeline(std::int64_t n, int window, const PipelineSteps& steps)
        : n_(n), steps_(steps), places_(static_cast<std::size_t>(window)) {}

    /// Runs the steps of the calling thread. It tries the last step first, so that buffers become free.
    void lead() {
        std::unique_lock lock(mutex_);
        while (finished_ < n_ && !failure_) {
            Place& first = place(finished_);
            if (first.worked) {
                if (first.failure) return fail(first.failure);
                first.worked = false;
                do_in_order(lock, steps_.finish, finished_);
            } else if (prepared_ < n_ && prepared_ < finished_ + std::ssize(places_)) {
                do_in_order(lock, steps_.prepare, prepared_);
            } else if (taken_ < prepared_) {
                do_work(lock, 0);
            } else {
                changed_.wait(lock);
            }
        }
    }

    /// Runs the steps of all other threads.
    void help(int thread) {
        std::unique_lock lock(mutex_);
        while (taken_ < n_ && !failure_) {
            if (taken_ < prepared_)
                do_work(lock, thread);
            else
                changed_.wait(lock);
        }
    }

    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    struct Place {
        bool worked = false;
        std::exception_ptr failure;
    };
    Place& place(std::int64_t i) { return places_[static_cast<std::size_t>(i) % places_.size()]; }

    void fail(std::exception_ptr failure) {
        failure_ = std::move(failure);
        changed_.notify_all();
    }

    void do_in_order(std::unique_lock<std::mutex>& lock, const std::function<void(std::int64_t)>& step,
                     std::int64_t& next) {
        lock.unlock();
        std::exception_ptr failure;
        try {
            step(next);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure) return fail(failure);
        ++next;
        changed_.notify_all();
    }

    void do_work(std::unique_lock<std::mutex>& lock, int thread) {
        const std::int64_t i = taken_++;
        lock.unlock();
        std::exception_ptr failure;
        try {
            steps_.work(i, thread);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        place(i) = {true, failure};
        changed_.notify_all();
    }

    const std::int64_t n_;
    const PipelineSteps& steps_;
    std::vector<Place> places_;
    std::int64_t prepared_ = 0, taken_ = 0,
                 finished_ = 0;  ///< numbers of items that have begun or finished the step
    std::exception_ptr failure_;
    std::mutex mutex_;
    std::condition_variable changed_;
};

}  // namespace

int pipeline_window(const ThreadPool& pool) {
    return pool.threads() == 1 ? 1 : 2 * pool.threads();
}

void run_pipeline(ThreadPool& pool, std::int64_t n, int window, const PipelineSteps& steps) {
    if (n < 1) return;
    Pipeline pipeline(n, window, steps);
    // Other threads leave after all items are taken, and only the caller prepares items. So the caller
    // gets a task.
    pool.for_each(pool.threads(), [&](std::int64_t, int thread) {
        if (thread == 0)
            pipeline.lead();
        else
            pipeline.help(thread);
    });
    pipeline.rethrow();
}

}  // namespace psflip
