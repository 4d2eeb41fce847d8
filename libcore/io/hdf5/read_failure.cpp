#include "io/hdf5/read_failure.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace psflip {
namespace {

std::string cause(const Hdf5Failure& failure, const Disk& disk) {
    return disk.error != 0 ? std::strerror(disk.error) : reason(failure);
}

/// Returns whether memory was short. HDF5 also requests the absurd lengths of damaged files; these do not
/// count if several times the size of the file can be allocated.
bool lacks_memory(const Hdf5Failure& failure, const Disk& disk) {
    if (!failure.memory) return false;
    void* volatile some = std::malloc((std::size_t{64} << 20) + 4 * disk.size());
    const bool none = some == nullptr;
    std::free(some);
    return none;
}

}  // namespace

ReadFailure opening_failure(const Hdf5Failure& failure, const Disk& disk) {
    if (lacks_memory(failure, disk)) return {"there is not enough memory to open the file", true};
    if (failure.truncated)
        return {
            fmt::format("the file is truncated: it has {} bytes, fewer than its header says; copy the file "
                        "again or make it anew",
                        disk.size())};
    return {fmt::format(
        "the file cannot be opened, because it is damaged ({}); copy the file again or make it anew",
        cause(failure, disk))};
}

ReadFailure reading_failure(const std::string& object, const Hdf5Failure& failure, const Disk& disk) {
    if (lacks_memory(failure, disk)) return {"there is not enough memory to read " + object, true};
    if (failure.checksum)
        return {object +
                " is damaged: its fletcher32 checksum does not match; copy the file again or make it anew"};
    return {
        fmt::format("{} cannot be read ({}); the file is damaged or of another format; copy the file again "
                    "or make it anew",
                    object, cause(failure, disk))};
}

}  // namespace psflip
