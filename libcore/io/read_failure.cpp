#include "io/read_failure.hpp"

#include <fmt/format.h>

#include <cstring>

namespace psflip {
namespace {

std::string cause(const Hdf5Failure& failure, const Disk& disk) {
    return disk.error != 0 ? std::strerror(disk.error) : reason(failure);
}

}  // namespace

ReadFailure opening_failure(const Hdf5Failure& failure, const Disk& disk) {
    if (failure.memory) return {"not enough memory to open it", true};
    if (failure.truncated)
        return {
            fmt::format("truncated: only {} bytes are there, fewer than its header says; copy it again or "
                        "make it anew",
                        disk.size())};
    return {fmt::format("cannot be opened, the file is damaged ({}); copy it again or make it anew",
                        cause(failure, disk))};
}

ReadFailure reading_failure(const std::string& object, const Hdf5Failure& failure, const Disk& disk) {
    if (failure.memory) return {"not enough memory to read " + object, true};
    if (failure.checksum)
        return {object +
                " is damaged: its fletcher32 checksum does not match; copy the file again or make it anew"};
    return {
        fmt::format("{} cannot be read ({}); the file is damaged or of another format: copy it again or make "
                    "it anew",
                    object, cause(failure, disk))};
}

}  // namespace psflip
