#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/disk_driver.hpp

/// A checksum of all bytes of a file behind its end, where HDF5 does not look. HDF5 checks its data only as
/// it reads them, and a damaged table of texts makes version 1.10 crash.
///
/// Appends "psflip seal XXH64 0123456789abcdef\n"; failures are noted in disk.error.
void append_seal(Disk& disk);

/// InputError where the file has a seal that is not that of its bytes, or cannot be read. A file without seal
/// passes.
void check_seal(const std::string& path);

}  // namespace psflip
