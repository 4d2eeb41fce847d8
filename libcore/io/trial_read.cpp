#include "io/trial_read.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/disk_driver.hpp"
#include "io/handle.hpp"
#include "io/hdf5_types.hpp"

namespace psflip {
namespace {

constexpr double structure_seconds = 5.0;    ///< of the processor, for anything but data
constexpr double slowest_bytes = 2e7;        ///< per second of the processor, of data
constexpr hsize_t piece_bytes = 16u << 20;   ///< read at once
constexpr hsize_t largest_row = 256u << 20;  ///< bytes; datasets of larger rows are not read

/// From now on the process may use so many seconds of the processor more; the system ends it beyond.
void allow_seconds(double more) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2;
    limit.rlim_cur = std::min(seconds + static_cast<rlim_t>(more), limit.rlim_max);
    setrlimit(RLIMIT_CPU, &limit);
}

/// Integers and real numbers, as what no value of them is too large for.
hid_t memory_type_of(hid_t stored) {
    const H5T_class_t type = H5Tget_class(stored);
    return type == H5T_INTEGER ? H5T_NATIVE_INT64 : type == H5T_FLOAT ? H5T_NATIVE_DOUBLE : -1;
}

/// H5Aiterate2 visitor.
herr_t read_attribute(hid_t object, const char* name, const H5A_info_t* /*info*/, void* /*unused*/) {
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) return 0;
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    if (H5Sget_simple_extent_npoints(space.get()) != 1) return 0;
    if (const hid_t memory = memory_type_of(type.get()); memory >= 0) {
        std::int64_t value = 0;
        H5Aread(attribute.get(), memory, &value);
    }
    if (std::string text; H5Tget_class(type.get()) == H5T_STRING)
        read_text(attribute.get(), type.get(), text);
    return 0;
}

/// Bytes of the numbers in memory that are worth reading: what the bytes in the file can give, deflated a
/// thousandfold, and some for parts that were never written.
double bytes_worth_reading(hid_t dataset, double bytes, std::uint64_t file_size) {
    const auto stored = static_cast<double>(std::min<hsize_t>(H5Dget_storage_size(dataset), file_size));
    return std::min(bytes, 8 * 1100 * stored + 2.0 * largest_row);
}

void read_numbers(hid_t dataset, std::uint64_t file_size) {
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const hid_t memory_type = memory_type_of(type.get());
    const int rank = H5Sget_simple_extent_ndims(space.get());
    const hssize_t points = H5Sget_simple_extent_npoints(space.get());
    if (memory_type < 0 || rank < 0 || points <= 0) return;
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 1)), 1), start(extents.size(), 0);
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    const hsize_t rows = extents[0], row_bytes = 8 * (static_cast<hsize_t>(points) / rows);
    if (row_bytes == 0 || row_bytes > largest_row) return;
    const double worth = bytes_worth_reading(dataset, 8.0 * static_cast<double>(points), file_size);
    allow_seconds(structure_seconds + worth / slowest_bytes);
    const hsize_t at_once = std::clamp<hsize_t>(piece_bytes / row_bytes, 1, rows);
    std::vector<char> values(at_once * row_bytes);
    for (hsize_t row = 0; row < rows && static_cast<double>(row * row_bytes) < worth; row += at_once) {
        start[0] = row;
        extents[0] = std::min(at_once, rows - row);
        const Handle part(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extents.data(), nullptr),
                          H5Sclose);
        if (rank > 0)
            H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr);
        if (H5Dread(dataset, memory_type, part.get(), space.get(), H5P_DEFAULT, values.data()) < 0) return;
    }
}

/// H5Ovisit visitor; `file_size` points to a std::uint64_t.
herr_t read_object(hid_t file, const char* name, const H5O_info_t* /*info*/, void* file_size) {
    const Handle object(H5Oopen(file, name, H5P_DEFAULT), H5Oclose);
    if (!object.valid()) return 0;
    hsize_t first = 0;
    H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_NATIVE, &first, read_attribute, nullptr);
    if (H5Iget_type(object.get()) == H5I_DATASET)
        read_numbers(object.get(), *static_cast<std::uint64_t*>(file_size));
    return 0;
}

void read_all(Disk& disk) {
    std::uint64_t file_size = disk.size();
    const Handle access = disk_access_list(disk);
    const Handle file(H5Fopen("trial", H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!file.valid()) return;
#if H5_VERSION_GE(1, 12, 0)
    H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, read_object, &file_size, H5O_INFO_BASIC);
#else
    H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, read_object, &file_size);
#endif
}

/// The other process: silent, without core dump, ended with its parent, deaf to requests to stop (the parent
/// hears them).
[[noreturn]] void child(Disk& disk) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    for (const int stop : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) std::signal(stop, SIG_IGN);
    std::signal(SIGXCPU, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, output);
    allow_seconds(structure_seconds);
    try {
        read_all(disk);
    } catch (const std::exception&) {  // no memory: the reader says so
    }
    _exit(0);
}

/// Runs `child` and gives its end, as waitpid tells.
int status_of_child(Disk& disk, const std::string& path) {
    struct sigaction usual {
    }, before{};
    usual.sa_handler = SIG_DFL;  // where the end of children is ignored, waitpid tells nothing
    sigaction(SIGCHLD, &usual, &before);
    const pid_t process = fork();
    if (process == 0) child(disk);
    int status = 0, error = process < 0 ? errno : 0;
    while (error == 0 && waitpid(process, &status, 0) < 0) error = errno == EINTR ? 0 : errno;
    sigaction(SIGCHLD, &before, nullptr);
    if (error != 0)
        throw EnvironmentError(
            fmt::format("{}: cannot be examined in a process of its own: {}", path, std::strerror(error)));
    return status;
}

bool crashed(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status) != 0;  // a sanitizer's report
    const int signal = WTERMSIG(status);
    const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU};
    return std::find(std::begin(crashes), std::end(crashes), signal) != std::end(crashes);
}

}  // namespace

void trial_read(Disk& disk, const std::string& path) {
    const int status = status_of_child(disk, path);
    if (crashed(status))
        throw InputError(path + ": damaged: HDF5 " +
                         (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU
                              ? "does not come to an end with it"
                              : "crashes on it") +
                         "; copy the file again or make it anew");
    if (WIFSIGNALED(status))
        throw EnvironmentError(fmt::format("{}: the process that examined it was ended by signal {} ({})",
                                           path, WTERMSIG(status), strsignal(WTERMSIG(status))));
}

}  // namespace psflip
