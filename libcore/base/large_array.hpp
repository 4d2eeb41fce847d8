#pragma once

// Allocates arrays that hold a whole batch, without a page fault per 4 KiB.

#include <cstddef>
#include <vector>

#include "base/thread_pool.hpp"

namespace psflip {

/// Asks the system for pages of 2 MiB (large pages) for memory to which nothing was written yet.
void advise_large_pages(void* memory, std::size_t bytes);

/// Writes a zero to each large page of new memory, with all threads of the pool. These first writes take one
/// thread 0.4 to 2 s per GB on virtual machines.
void give_pages(void* memory, std::size_t bytes, ThreadPool& pool);

/// Returns n zeros in large pages, to which all threads of the pool write first. A plain vector of this size
/// costs a page fault per 4 KiB, all on one core.
template <class T>
std::vector<T> large_zeros(std::size_t n, ThreadPool& pool = caller_alone()) {
    std::vector<T> zeros;
    zeros.reserve(n);
    advise_large_pages(zeros.data(), n * sizeof(T));
    give_pages(zeros.data(), n * sizeof(T), pool);
    zeros.resize(n);
    return zeros;
}

}  // namespace psflip
