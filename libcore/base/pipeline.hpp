#pragma once

#include <cstdint>
#include <functional>

#include "base/thread_pool.hpp"

namespace psflip {

/// Three steps for each of the items 0 .. n-1. An item has the place i % window from the beginning of its
/// first step to the end of its last one, and no other item has it meanwhile.
struct PipelineSteps {
    std::function<void(std::int64_t i)> prepare;           ///< by the caller, in the order of the items
    std::function<void(std::int64_t i, int thread)> work;  ///< by any thread of the pool, in any order
    std::function<void(std::int64_t i)> finish;            ///< by the caller, in the order of the items
};

/// Items that are under way at the same time: enough to keep all threads busy.
int pipeline_window(const ThreadPool& pool);

/// Does the steps of all items while one thread alone does what must be in order (calls of a library that is
/// not for several threads). Steps may throw: no further item is begun, and what the first item in order that
/// failed has thrown is thrown on by this function. Only the owner of the pool calls this, for window >= 1.
void run_pipeline(ThreadPool& pool, std::int64_t n, int window, const PipelineSteps& steps);

}  // namespace psflip
