#pragma once

// Overlaps ordered work of one thread, such as reading or writing a file, with parallel work of a pool.

#include <cstdint>
#include <functional>

#include "base/thread_pool.hpp"

namespace psflip {

/// Holds the three steps for each of the items 0 to n-1. If the caller has `window` buffers, item i owns
/// buffer i % window from the start of `prepare` to the end of `finish`.
struct PipelineSteps {
    std::function<void(std::int64_t i)> prepare;  ///< runs in the calling thread, in the order of the items
    std::function<void(std::int64_t i, int thread)> work;  ///< runs in any thread of the pool, in any order
    std::function<void(std::int64_t i)> finish;  ///< runs in the calling thread, in the order of the items
};

/// Returns a window (maximum number of items between `prepare` and `finish`) that keeps all threads busy.
int pipeline_window(const ThreadPool& pool);

/// Runs the steps of all items. `prepare` and `finish` run only in the calling thread, so they may call a
/// library that is not thread-safe. `window` is at least 1. Only the thread that owns the pool may call this
/// function. Errors: after a step throws, no further item begins, and the error of the first failed item is
/// rethrown.
void run_pipeline(ThreadPool& pool, std::int64_t n, int window, const PipelineSteps& steps);

}  // namespace psflip
