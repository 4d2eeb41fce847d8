#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/hdf5/disk_driver.hpp

/// Every file that psflip writes carries a checksum of all its bytes behind its end, where HDF5 does not
/// look. It is checked before HDF5 sees the file: HDF5 has no checksum of texts of variable length, and
/// version 1.10 crashes or never returns where their table is damaged. The root attribute `sealed` tells that
/// the file had one. HDF5 cuts the seal off when it opens a file for writing, so who changes a file on
/// purpose (h5py, mode "r+") removes the attribute, too.
///
/// Appends "psflip seal XXH64 0123456789abcdef\n"; failures are noted in disk.error.
void append_seal(Disk& disk);

/// What one pass over a file finds.
struct FileBytes {
    std::string hash;     ///< XXH64 of all bytes, the seal among them
    bool sealed = false;  ///< false: made or changed by other programs, or damaged
};

/// Whether the file ends in a seal, be it that of its bytes or not, or in one that lacks its last bytes.
bool ends_in_seal(Disk& disk);

/// InputError "PATH: ..." where the file has a seal that is not that of its bytes or is cut short, or cannot
/// be read.
FileBytes check_seal(Disk& disk, const std::string& path);

}  // namespace psflip
