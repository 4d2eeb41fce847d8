#include "io/hdf5/seal.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "io/hash.hpp"
#include "io/hdf5/disk_driver.hpp"

namespace psflip {
namespace {

const std::string mark = "psflip seal XXH64 ";
constexpr std::size_t digits = 16;
const std::size_t seal_size = mark.size() + digits + 1;

/// Hashes the first `size` bytes.
Hasher hash_of(Disk& disk, std::uint64_t size) {
    Hasher hash;
    std::vector<char> piece(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
    for (std::uint64_t at = 0; at < size && disk.error == 0;) {
        const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size - at));
        disk.read(at, piece.data(), some);
        hash.add(piece.data(), some);
        at += some;
    }
    return hash;
}

std::string last_bytes(Disk& disk) {
    const std::uint64_t size = disk.size();
    std::string end(static_cast<std::size_t>(std::min<std::uint64_t>(size, seal_size)), '\0');
    disk.read(size - end.size(), end.data(), end.size());
    return end;
}

}  // namespace

void append_seal(Disk& disk) {
    const std::uint64_t size = disk.size();
    const std::string seal = mark + hash_of(disk, size).hex() + "\n";
    disk.write(size, seal.data(), seal.size(), false);
}

bool ends_in_seal(Disk& disk) {
    return last_bytes(disk).find(mark) != std::string::npos;
}

FileBytes check_seal(Disk& disk, const std::string& path) {
    const std::string end = last_bytes(disk);
    Hasher hash = hash_of(disk, disk.size() - end.size());
    if (disk.error != 0) throw InputError(path + ": cannot be read: " + std::strerror(disk.error));
    const std::string before_end = hash.hex();
    hash.add(end.data(), end.size());
    const std::size_t place = end.find(mark);
    if (place == std::string::npos) return {hash.hex(), false};
    if (place > 0)
        throw InputError(path +
                         ": the file is truncated: the checksum at its end is cut short; copy the file again "
                         "or make it anew");
    if (end.substr(mark.size(), digits) != before_end)
        throw InputError(path +
                         ": the file is damaged: its bytes do not have the checksum at its end; copy the "
                         "file again or make it anew");
    return {hash.hex(), true};
}

}  // namespace psflip
