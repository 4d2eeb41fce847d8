#pragma once

#include <string>

namespace psflip {

struct Disk;  ///< of io/hdf5/disk_driver.hpp

/// Reads, in another process, an HDF5 file that has no seal (seal.hpp): its structure, its attributes and the
/// data of its numeric datasets. HDF5 1.10 trusts lengths and addresses in parts without checksums. If they
/// are damaged, HDF5 may crash or hang, but only in the other process. Even an error that HDF5 reports may
/// have damaged its memory, so a file with an error is not opened in this process.
///
/// Errors: InputError "PATH: ..." with the failure, or if the process crashed or took too long;
/// EnvironmentError if no process can start, if it was killed from outside, or if memory is short.
void trial_read(Disk& disk, const std::string& path);

}  // namespace psflip
