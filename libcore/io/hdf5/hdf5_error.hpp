#pragma once

#include <string>

namespace psflip {

/// Holds the error stack of the last failed HDF5 call, reduced to what a user needs.
struct Hdf5Failure {
    int system_error = 0;    ///< errno of the failed read or write, or 0
    bool truncated = false;  ///< the file is shorter than its superblock says
    bool checksum = false;   ///< a fletcher32 checksum does not match
    bool memory = false;     ///< memory allocation failed
    bool version = false;    ///< a part has a format version unknown to this HDF5
    std::string cause;       ///< innermost description, in one line
};

/// Stops HDF5 from printing its error stack. Call it before any other HDF5 call.
void silence_hdf5();

/// Reads and clears the error stack.
Hdf5Failure take_hdf5_failure();

/// Returns the system error ("No space left on device") or, without one, the innermost HDF5 description.
std::string reason(const Hdf5Failure& failure);

}  // namespace psflip
