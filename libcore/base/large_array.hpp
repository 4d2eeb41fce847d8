#pragma once

// Allocates arrays that hold a whole batch, without a page fault per 4 KiB.

#include <cstddef>
#include <vector>

#include "base/thread_pool.hpp"

namespace psflip {

/// Asks the system for large pages for memory that was not written to yet.
void advise_large_pages(void* memory, std::size_t bytes);

/// Makes all threads of the pool touch the pages of memory that was not written to yet. One thread needs 0.4
/// to 2 s per GB on virtual machines.
void give_pages(void* memory, std::size_t bytes, ThreadPool& pool);

/// Returns n zeros in large pages, which the threads of the pool touch. Other arrays of this size cost a page
/// fault per 4 KiB on one core.
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
