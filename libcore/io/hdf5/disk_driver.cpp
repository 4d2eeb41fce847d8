#include "io/hdf5/disk_driver.hpp"

#include <fcntl.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace psflip {

void Disk::write(std::uint64_t address, const void* bytes, std::size_t size, bool lasting) {
    const char* from = static_cast<const char*>(bytes);
    while (error == 0 && size > 0) {
        const ssize_t done = pwrite(descriptor, from, size, static_cast<off_t>(address));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            error = done < 0 ? errno : ENOSPC;
            break;
        }
        begin_writeback(static_cast<std::size_t>(done));
        from += done;
        address += static_cast<std::uint64_t>(done);
        size -= static_cast<std::size_t>(done);
    }
    if (size > 0 && lasting) kept.push_back({address, std::string(from, size)});
}

void Disk::begin_writeback(std::size_t bytes) {
    constexpr std::size_t piece = std::size_t{16} << 20;
    cached += bytes;
    if (cached < piece) return;
    cached = 0;
    sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);  // file systems without it wait for fsync
}

bool Disk::read(std::uint64_t address, void* bytes, std::size_t size) {
    char* to = static_cast<char*>(bytes);
    std::size_t got = 0;
    while (got < size) {
        const ssize_t done = pread(descriptor, to + got, size - got, static_cast<off_t>(address + got));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            if (error == 0) error = errno;
            return false;
        }
        if (done == 0) break;
        got += static_cast<std::size_t>(done);
    }
    std::memset(to + got, 0, size - got);
    for (const Piece& piece : kept) {
        const std::uint64_t begin = std::max(address, piece.address);
        const std::uint64_t end = std::min(address + size, piece.address + piece.bytes.size());
        if (begin < end)
            std::memcpy(to + (begin - address), piece.bytes.data() + (begin - piece.address), end - begin);
    }
    return true;
}

void Disk::resize(std::uint64_t size) {
    while (error == 0 && ftruncate(descriptor, static_cast<off_t>(size)) != 0) {
        if (errno != EINTR) error = errno;
    }
}

std::uint64_t Disk::size() const {
    const off_t end = lseek(descriptor, 0, SEEK_END);
    return end > 0 ? static_cast<std::uint64_t>(end) : 0;
}

namespace {

/// The file as HDF5 sees it. HDF5's own part comes first.
struct DriverFile {
    H5FD_t hdf5;
    Disk* disk;
    haddr_t allocated, end;
};

struct DriverInfo {
    Disk* disk;
};

DriverFile& self(H5FD_t* file) {
    return *reinterpret_cast<DriverFile*>(file);
}
const DriverFile& self(const H5FD_t* file) {
    return *reinterpret_cast<const DriverFile*>(file);
}

H5FD_t* open_file(const char* name, unsigned /*flags*/, hid_t access, haddr_t /*max_address*/) {
    const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
    if (info == nullptr || info->disk->name != name) return nullptr;
    auto* file = new DriverFile{};
    file->disk = info->disk;
    file->end = info->disk->size();
    return &file->hdf5;
}

herr_t close_file(H5FD_t* file) {
    delete &self(file);
    return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
    const Disk *first = self(a).disk, *second = self(b).disk;
    return first == second ? 0 : first < second ? -1 : 1;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) {
    return self(file).allocated;
}

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    self(file).allocated = address;
    return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) {
    return self(file).end;
}

herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* bytes) {
    return self(file).disk->read(address, bytes, size) ? 0 : -1;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size,
                  const void* bytes) {
    constexpr std::size_t large = 65536;
    self(file).disk->write(address, bytes, size, type != H5FD_MEM_DRAW || size < large);
    self(file).end = std::max<haddr_t>(self(file).end, address + size);
    return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t /*closing*/) {
    DriverFile& own = self(file);
    if (own.end != own.allocated) own.disk->resize(own.allocated);
    own.end = own.allocated;
    return 0;
}

hid_t driver() {
    static const hid_t id = [] {
        static H5FD_class_t table{};
#ifdef H5FD_CLASS_VERSION
        table.version = H5FD_CLASS_VERSION;
        table.value = static_cast<H5FD_class_value_t>(600);  // in the range for unregistered drivers
#endif
        table.name = "psflip";
        table.maxaddr = haddr_t{1} << 62;
        table.fc_degree = H5F_CLOSE_WEAK;
        table.fapl_size = sizeof(DriverInfo);
        table.open = open_file;
        table.close = close_file;
        table.cmp = compare_files;
        table.query = query;
        table.get_eoa = get_allocated;
        table.set_eoa = set_allocated;
        table.get_eof = get_end;
        table.read = read_file;
        table.write = write_file;
        table.truncate = truncate_file;
        // As in HDF5's POSIX driver: one kind of free space for metadata, one for data.
        std::fill(std::begin(table.fl_map), std::end(table.fl_map), H5FD_MEM_SUPER);
        table.fl_map[H5FD_MEM_DRAW] = table.fl_map[H5FD_MEM_GHEAP] = H5FD_MEM_DRAW;
        return H5FDregister(&table);
    }();
    return id;
}

}  // namespace

Handle disk_access_list(Disk& disk, const std::string& name) {
    disk.name = name;
    Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const DriverInfo info{&disk};
    H5Pset_driver(list.get(), driver(), &info);
    return list;
}

}  // namespace psflip
