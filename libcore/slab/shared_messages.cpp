#include "slab/shared_messages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/process.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// Says where the memory of a rank is. The mark stands behind the bytes, because a process of another
/// container may have the same number.
struct Offer {
    struct Mark {
        std::int64_t time, number;
        bool operator==(const Mark&) const = default;
    };
    Mark mark;
    int process, file;
};

Offer::Mark new_mark() {
    static std::atomic<std::int64_t> number = 0;
    return {std::chrono::system_clock::now().time_since_epoch().count(), ++number};
}

}  // namespace

SharedMessages::Mapping::~Mapping() {
    if (begin) munmap(begin, bytes);
}

bool SharedMessages::Mapping::map(int file, std::size_t size) {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return false;
    begin = static_cast<std::byte*>(memory), bytes = size;
    return true;
}

SharedMessages::SharedMessages(Ranks& ranks, std::size_t bytes) : same_(ranks.below() == ranks.above()) {
    const std::size_t all = bytes + sizeof(Offer::Mark);
    Offer offer{new_mark(), getpid(), memfd_create("psflip messages", MFD_CLOEXEC)};
    bool works = environment("PSFLIP_SHARED_MESSAGES") != "off" && offer.file >= 0 &&
                 posix_fallocate(offer.file, 0, static_cast<off_t>(all)) == 0 && own_.map(offer.file, all);
    if (works) std::memcpy(own_.begin + bytes, &offer.mark, sizeof offer.mark);
    const std::vector<Offer> offers = of_each(ranks, offer);  // no rank looks before all have written
    const auto open_memory = [&](const Offer& of, Mapping& mapping) {
        const std::string path = fmt::format("/proc/{}/fd/{}", of.process, of.file);
        // On another machine, the path may name any file.
        std::error_code error;
        const std::string target = std::filesystem::read_symlink(path, error).string();
        if (of.file < 0 || error || !target.starts_with("/memfd:psflip messages")) return false;
        const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (file < 0) return false;
        const bool large_enough = lseek(file, 0, SEEK_END) >= static_cast<off_t>(all);
        const bool mapped = large_enough && mapping.map(file, all);
        close(file);
        Offer::Mark found{};
        if (mapped) std::memcpy(&found, mapping.begin + bytes, sizeof found);
        return mapped && found == of.mark;
    };
    works = works && open_memory(offers[static_cast<std::size_t>(ranks.below())], below_) &&
            (same_ || open_memory(offers[static_cast<std::size_t>(ranks.above())], above_));
    reached_ = ranks.maximum(works ? 0 : 1) == 0;  // and all ranks have opened what they need
    if (offer.file >= 0) close(offer.file);
}

}  // namespace psflip
