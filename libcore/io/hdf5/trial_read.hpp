#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/hdf5/disk_driver.hpp

/// Reads all of an HDF5 file without a seal (written by hand, or by an older psflip) in a process of its own:
/// structure, attributes and the numbers of its datasets. HDF5 1.10 trusts lengths and addresses of parts
/// that have no checksum, so damage there may crash it or let it run for ever; here that is the end of the
/// other process only. Even an error that HDF5 reports in order may have spoilt its memory, so a file that
/// gives one is not opened in this process.
///
/// InputError "PATH: ..." with what cannot be read, or where the process crashed or took too long;
/// EnvironmentError where there can be no process, it was killed from outside, or memory does not suffice.
void trial_read(Disk& disk, const std::string& path);

/// The root attribute `format`, read in a process of its own, even where the rest of the file is damaged or
/// missing; empty where it cannot be read or is no text. EnvironmentError as trial_read.
std::string trial_format(Disk& disk, const std::string& path);

}  // namespace psflip
