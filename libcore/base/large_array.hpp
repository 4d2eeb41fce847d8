#pragma once

#include <cstddef>
#include <vector>

#include "base/thread_pool.hpp"

namespace psflip {

/// Asks the system for large pages in this memory, where nothing has been written yet; without effect where
/// it has none.
void advise_large_pages(void* memory, std::size_t bytes);

/// Has the system give this memory, where nothing has been written yet, its pages now, by all threads of the
/// pool: on virtual machines that takes 0.4 to 2 s per GB of one thread.
void give_pages(void* memory, std::size_t bytes, ThreadPool& pool);

/// n zeros. In large pages that the pool makes ready, so that an array of the size of a batch does not cost a
/// page fault for every 4 KiB, one after the other on one core.
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
