#pragma once

#include <string>

namespace psflip {

/// What HDF5's error stack of the last failed call says, in the parts that matter to a user.
struct Hdf5Failure {
    int system_error = 0;    ///< errno of the failed read or write, 0 where the system was not the cause
    bool truncated = false;  ///< the file is shorter than its superblock says
    bool checksum = false;   ///< a fletcher32 checksum does not match
    bool memory = false;     ///< memory was asked for and not had
    bool version = false;    ///< a part has a format version that this HDF5 does not know
    std::string cause;       ///< innermost description, one line
};

/// Stops HDF5 from printing its error stack on standard error. Called before any other HDF5 call.
void silence_hdf5();

/// Reads and clears the error stack.
Hdf5Failure take_hdf5_failure();

/// "No space left on device" and the like; the innermost HDF5 description where the system was not the cause.
std::string reason(const Hdf5Failure& failure);

}  // namespace psflip
