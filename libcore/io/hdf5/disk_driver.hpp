#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace psflip {

/// Holds the file descriptor behind an HDF5 file, and the first system error. Private to io/. The driver
/// takes no locks, so psflip works on file systems without locks (some NFS and Lustre mounts), for any
/// HDF5_USE_FILE_LOCKING. WriterLock excludes other writers, and readers see only complete files.
///
/// HDF5 cannot close a file whose last writes fail (full disk): it keeps the broken file and crashes at the
/// end of the process. With this driver, HDF5 never sees a failed write. The driver records the first error
/// and keeps later writes in memory, where HDF5 can read them. The owner checks `error` after every HDF5
/// call.
struct Disk {
    int descriptor = -1;
    int error = 0;  ///< errno of the first failure; after it, nothing is written to the disk
    struct Piece {
        std::uint64_t address;
        std::string bytes;
    };
    std::vector<Piece> kept;  ///< lasting writes after the error, in order
    std::size_t cached = 0;   ///< bytes written since the system was last asked to bring them to the disk
    std::string name{};       ///< name by which HDF5 opens the file

    /// Writes bytes. After an error, bytes with `lasting` = true are kept in memory, and other bytes are
    /// dropped. Large pieces of data are not lasting, because HDF5 does not need them to close the file.
    void write(std::uint64_t address, const void* bytes, std::size_t size, bool lasting);
    /// Reads bytes; bytes beyond the end of the file are 0. Returns false on a system error.
    bool read(std::uint64_t address, void* bytes, std::size_t size);
    void resize(std::uint64_t size);
    /// Lets the system bring bytes to the disk while more are made, so that fsync at the end waits less.
    void begin_writeback(std::size_t bytes);
    std::uint64_t size() const;  ///< size of the file in bytes
};

/// Returns a file access property list with which H5Fcreate and H5Fopen use `disk` under this name. With this
/// list, HDF5 cannot open other names, so external links and virtual datasets fail. `disk` must outlive the
/// HDF5 file.
Handle disk_access_list(Disk& disk, const std::string& name);

}  // namespace psflip
