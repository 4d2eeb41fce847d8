#include "io/hdf5/text_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/hdf5/disk_driver.hpp"

namespace psflip {
namespace {

using std::string_view_literals::operator""sv;
constexpr std::string_view signature = "GCOL\1\0\0\0"sv;  // with the version
constexpr std::uint64_t header = 16;                      // of a collection and of an object: their last
                                                          // 8 bytes are the size

std::uint64_t number_at(Disk& disk, std::uint64_t address, std::size_t bytes) {
    unsigned char little[8] = {};
    disk.read(address, little, bytes);
    std::uint64_t number = 0;
    for (std::size_t i = bytes; i-- > 0;) number = number << 8 | little[i];
    return number;
}

/// Of the collection at `begin`.
std::uint64_t size_of(Disk& disk, std::uint64_t begin) {
    return number_at(disk, begin + 8, 8);
}

bool is_within_file(Disk& disk, std::uint64_t begin) {
    const std::uint64_t file = disk.size();
    return begin + header <= file && size_of(disk, begin) <= file - begin;
}

/// Whether the objects of the collection at `begin` fill it; the free space is object 0 and comes last.
bool is_whole(Disk& disk, std::uint64_t begin) {
    const std::uint64_t size = size_of(disk, begin);
    if (size < header) return false;
    for (std::uint64_t at = header; at < size;) {
        const std::uint64_t rest = size - at;
        if (rest < header) return true;  // too little for the header of an object
        const std::uint64_t index = number_at(disk, begin + at, 2),
                            length = number_at(disk, begin + at + 8, 8);
        if (index == 0) return length == rest;
        const std::uint64_t padded = (std::min(length, size) + 7) / 8 * 8;
        if (padded > rest - header) return false;
        at += header + padded;
    }
    return true;
}

}  // namespace

void check_text_heaps(Disk& disk, const std::string& path) {
    const std::uint64_t size = disk.size(), step = std::uint64_t{1} << 20;
    std::vector<char> piece(std::min(size, step + signature.size() - 1));
    for (std::uint64_t at = 0; at < size; at += step) {
        const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size - at));
        disk.read(at, piece.data(), some);
        const std::string_view bytes(piece.data(), some);
        for (std::size_t place = bytes.find(signature); place != std::string_view::npos;
             place = bytes.find(signature, place + 1)) {
            if (!is_within_file(disk, at + place))
                throw InputError(
                    fmt::format("{}: truncated or damaged: only {} bytes are there, its texts reach beyond "
                                "them; copy the "
                                "file again or make it anew",
                                path, size));
            if (!is_whole(disk, at + place))
                throw InputError(path +
                                 ": damaged: the lengths of its texts contradict each other; copy the file "
                                 "again or make it anew");
        }
    }
}

}  // namespace psflip
