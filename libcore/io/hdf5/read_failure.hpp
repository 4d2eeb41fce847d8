#pragma once

#include <string>

#include "io/hdf5/disk_driver.hpp"
#include "io/hdf5/hdf5_error.hpp"

namespace psflip {

/// What to tell a user of an HDF5 file that cannot be read: what is wrong and the remedy, without the path.
struct ReadFailure {
    std::string text;
    bool memory = false;  ///< for want of memory, whatever the file is like
};

/// After H5Fopen failed.
ReadFailure opening_failure(const Hdf5Failure& failure, const Disk& disk);
/// After reading of `object` ("dataset /spins") failed.
ReadFailure reading_failure(const std::string& object, const Hdf5Failure& failure, const Disk& disk);

}  // namespace psflip
