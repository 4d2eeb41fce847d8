#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/hdf5/disk_driver.hpp

/// Checks the tables in which HDF5 keeps texts of variable length (global heap collections), which have no
/// checksum: HDF5 1.10 believes the lengths in them and writes beyond its memory. Every collection must be
/// filled exactly by its objects. Structure as in section III.E of the HDF5 file format specification 3.0,
/// with lengths of 8 bytes; found by their first 8 bytes, wherever they are.
///
/// InputError "PATH: damaged ..." otherwise.
void check_text_heaps(Disk& disk, const std::string& path);

}  // namespace psflip
