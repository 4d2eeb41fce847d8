#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/disk_driver.hpp

/// Reads all of an HDF5 file without a seal (written by hand, or by an older psflip) in a process of its own:
/// structure, attributes and the numbers of its datasets. HDF5 1.10 trusts lengths and addresses of parts
/// that have no checksum, so damage there may crash it or let it run for ever; here that is the end of the
/// other process only. What HDF5 reports as an error in order passes: the reader that comes next gets it
/// again and names the place.
///
/// InputError "PATH: damaged ..." where the process crashed or took too long; EnvironmentError where there
/// can be no process or it was killed from outside.
void trial_read(Disk& disk, const std::string& path);

}  // namespace psflip
