#include "base/large_array.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace psflip {

namespace {

constexpr std::size_t page = std::size_t{2} << 20;

struct Pages {
    char* first;
    std::size_t count;
};

/// Returns the whole pages within the memory.
Pages whole_pages(void* memory, std::size_t bytes) {
    const std::size_t within = reinterpret_cast<std::uintptr_t>(memory) % page,
                      before = within == 0 ? 0 : page - within;
    return {static_cast<char*>(memory) + before, bytes < before ? 0 : (bytes - before) / page};
}

}  // namespace

void advise_large_pages(void* memory, std::size_t bytes) {
    const Pages pages = whole_pages(memory, bytes);
    if (pages.count > 0) madvise(pages.first, pages.count * page, MADV_HUGEPAGE);
}

void give_pages(void* memory, std::size_t bytes, ThreadPool& pool) {
    const Pages pages = whole_pages(memory, bytes);
    if (pool.threads() == 1) return;  // the first write is equally fast
    share_out(pool, static_cast<std::int64_t>(pages.count), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) *(pages.first + i * page) = 0;
    });
}

}  // namespace psflip
