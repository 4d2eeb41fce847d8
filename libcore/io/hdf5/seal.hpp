#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/hdf5/disk_driver.hpp

/// Seals files: every psflip file ends with a checksum of its bytes, behind the end of the HDF5 data. The
/// seal is checked before HDF5 sees the file. HDF5 has no checksum of variable-length texts, and version 1.10
/// crashes or hangs if their table is damaged. The root attribute `sealed` says that the file had a seal. If
/// a program opens the file for writing (h5py, mode "r+"), HDF5 removes the seal, but the attribute stays. A
/// user who changes a file on purpose must also delete the attribute, or psflip refuses the file.
///
/// Appends the line "psflip seal XXH64 0123456789abcdef". disk.error records failures.
void append_seal(Disk& disk);

/// Holds the result of one pass over a file.
struct FileBytes {
    std::string hash;     ///< XXH64 of all bytes, including the seal
    bool sealed = false;  ///< false: written or changed by another program, or damaged
};

/// Returns whether the file ends with a seal, valid or not, or with a truncated seal.
bool ends_in_seal(Disk& disk);

/// Checks the seal. Errors: InputError "PATH: ..." if the seal is wrong or truncated, or if the file cannot
/// be read.
FileBytes check_seal(Disk& disk, const std::string& path);

}  // namespace psflip
