#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/hdf5/disk_driver.hpp

/// Reads all of an HDF5 file without a seal in a process of its own: structure, attributes and the numbers of
/// its datasets. HDF5 1.10 trusts lengths and addresses of parts that have no checksum. Damage in them may
/// crash HDF5 or let it run for ever; that ends only the other process. Even an error that HDF5 reports may
/// have spoilt its memory, so a file that gives one is not opened in this process.
///
/// InputError "PATH: ..." with what cannot be read, or where the process crashed or took too long;
/// EnvironmentError where there can be no process, it was killed from outside, or memory does not suffice.
void trial_read(Disk& disk, const std::string& path);

}  // namespace psflip
