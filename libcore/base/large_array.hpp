#pragma once

#include <cstddef>
#include <vector>

namespace psflip {

/// Asks the system for large pages in this memory, where nothing has been written yet; without effect where
/// it has none.
void advise_large_pages(void* memory, std::size_t bytes);

/// n zeros. In large pages, so that an array of the size of a batch does not cost a page fault for every 4
/// KiB, one after the other on one core.
template <class T>
std::vector<T> large_zeros(std::size_t n) {
    std::vector<T> zeros;
    zeros.reserve(n);
    advise_large_pages(zeros.data(), n * sizeof(T));
    zeros.resize(n);
    return zeros;
}

}  // namespace psflip
