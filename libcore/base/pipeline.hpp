#pragma once

// Overlaps ordered work of one thread, such as reading or writing a file, with parallel work of a pool.

#include <cstdint>
#include <functional>

#include "base/thread_pool.hpp"

namespace psflip {

/// Holds the three steps for each of the items 0 to n-1. Item i owns the buffer i % window from the start of
/// its first step to the end of its last step.
struct PipelineSteps {
    std::function<void(std::int64_t i)> prepare;  ///< runs in the calling thread, in the order of the items
    std::function<void(std::int64_t i, int thread)> work;  ///< runs in any thread of the pool, in any order
    std::function<void(std::int64_t i)> finish;  ///< runs in the calling thread, in the order of the items
};

/// Returns a window, a number of simultaneous items, that keeps all threads busy.
int pipeline_window(const ThreadPool& pool);

/// Runs the steps of all items. `prepare` and `finish` run only in the calling thread, so they may call a
/// library that is not thread-safe. `window` is at least 1. Only the owner of the pool may call this
/// function. Errors: after a step throws, no further item begins, and the error of the first failed item is
/// rethrown.
void run_pipeline(ThreadPool& pool, std::int64_t n, int window, const PipelineSteps& steps);

}  // namespace psflip
