#include "base/large_array.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace psflip {

void advise_large_pages(void* memory, std::size_t bytes) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t within = reinterpret_cast<std::uintptr_t>(memory) % page,
                      before = within == 0 ? 0 : page - within;  // the first whole page
    if (bytes < before + page) return;
    madvise(static_cast<char*>(memory) + before, (bytes - before) / page * page, MADV_HUGEPAGE);
}

}  // namespace psflip
