#include "io/seal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "io/disk_driver.hpp"
#include "io/hash.hpp"

namespace psflip {
namespace {

const std::string mark = "psflip seal XXH64 ";
constexpr std::size_t digits = 16;
const std::size_t seal_size = mark.size() + digits + 1;

/// Hash of the first `size` bytes.
std::string hash_of(Disk& disk, std::uint64_t size) {
    Hasher hash;
    std::vector<char> piece(std::size_t{1} << 22);
    for (std::uint64_t at = 0; at < size && disk.error == 0;) {
        const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size - at));
        disk.read(at, piece.data(), some);
        hash.add(piece.data(), some);
        at += some;
    }
    return hash.hex();
}

std::uint64_t size_of(const Disk& disk) {
    const off_t end = lseek(disk.descriptor, 0, SEEK_END);
    return end > 0 ? static_cast<std::uint64_t>(end) : 0;
}

}  // namespace

void append_seal(Disk& disk) {
    const std::uint64_t size = size_of(disk);
    const std::string seal = mark + hash_of(disk, size) + "\n";
    disk.write(size, seal.data(), seal.size(), false);
}

void check_seal(const std::string& path) {
    Disk disk;
    disk.descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (disk.descriptor < 0) return;  // whoever opens the file says why
    const std::uint64_t size = size_of(disk);
    std::string found(seal_size, '\0'), hash;
    if (size >= seal_size) disk.read(size - seal_size, found.data(), seal_size);
    const bool sealed = found.compare(0, mark.size(), mark) == 0;
    if (sealed) hash = hash_of(disk, size - seal_size);
    close(disk.descriptor);
    if (disk.error != 0) throw InputError(path + ": cannot be read: " + std::strerror(disk.error));
    if (sealed && found.substr(mark.size(), digits) != hash)
        throw InputError(path +
                         ": damaged: its bytes do not have the checksum at its end; copy it again or make it "
                         "anew");
}

}  // namespace psflip
