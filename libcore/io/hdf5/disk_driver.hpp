#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace psflip {

/// Private to io/: the open file that HDF5 works on through this driver, and the first error of the system.
/// The driver takes no locks, so psflip works on file systems without them (some NFS and Lustre mounts),
/// whatever HDF5_USE_FILE_LOCKING says; WriterLock keeps writers apart, and readers see only complete files.
///
/// HDF5 cannot close a file whose last writes fail (full disk): it keeps the broken file and crashes when the
/// process ends. Here HDF5 never sees a failed write: the first error is noted, and what HDF5 writes from
/// then on is kept in memory, where it finds it again. The owner looks at `error` after every HDF5 call and
/// gives up.
struct Disk {
    int descriptor = -1;
    int error = 0;  ///< errno of the first failure; when one is set, nothing goes to the disk any more
    struct Piece {
        std::uint64_t address;
        std::string bytes;
    };
    std::vector<Piece> kept;  ///< lasting writes since the error, in their order
    std::string name{};       ///< that HDF5 opens it by

    /// `lasting` bytes are kept after an error; large pieces of data are not, HDF5 does not need them to
    /// close.
    void write(std::uint64_t address, const void* bytes, std::size_t size, bool lasting);
    /// Bytes beyond the end of the file are 0. False where the system fails.
    bool read(std::uint64_t address, void* bytes, std::size_t size);
    void resize(std::uint64_t size);
    std::uint64_t size() const;  ///< bytes of the file
};

/// A file access property list that makes H5Fcreate and H5Fopen work on `disk` under this name. HDF5 cannot
/// open other names with it, which external links and virtual datasets would give. `disk` must outlive the
/// HDF5 file.
Handle disk_access_list(Disk& disk, const std::string& name);

}  // namespace psflip
