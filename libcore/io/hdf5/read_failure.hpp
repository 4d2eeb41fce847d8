#pragma once

#include <string>

#include "io/hdf5/disk_driver.hpp"
#include "io/hdf5/hdf5_error.hpp"

namespace psflip {

/// Says why an HDF5 file cannot be read, with the remedy and without the path.
struct ReadFailure {
    std::string text;
    bool memory = false;  ///< whether memory was short
};

/// Returns the reason after H5Fopen failed.
ReadFailure opening_failure(const Hdf5Failure& failure, const Disk& disk);
/// Returns the reason after `object` ("dataset /spins") could not be read.
ReadFailure reading_failure(const std::string& object, const Hdf5Failure& failure, const Disk& disk);

}  // namespace psflip
