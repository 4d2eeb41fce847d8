#include "io/hdf5/trial_read.hpp"

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
#include <new>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/hdf5/disk_driver.hpp"
#include "io/hdf5/handle.hpp"
#include "io/hdf5/hdf5_types.hpp"
#include "io/hdf5/own_data.hpp"
#include "io/hdf5/read_failure.hpp"

namespace psflip {
namespace {

constexpr double structure_seconds = 5.0;      ///< CPU time for everything except data
constexpr double slowest_bytes = 2e7;          ///< data per second of CPU time
constexpr hsize_t piece_bytes = 16u << 20;     ///< largest read
constexpr hsize_t max_row_bytes = 256u << 20;  ///< bytes; datasets with larger rows are not read

/// Limits the further CPU time of the process. The system kills it beyond the limit.
void allow_seconds(double more) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2;
    limit.rlim_cur = std::min(seconds + static_cast<rlim_t>(more), limit.rlim_max);
    setrlimit(RLIMIT_CPU, &limit);
}

/// Data of the HDF5 visitors.
struct Trial {
    const Disk& disk;
    std::string object;   ///< current object
    ReadFailure failure;  ///< the first failure; no text: none

    /// Records the last HDF5 failure and returns -1, which ends the visit.
    herr_t fail(const std::string& part) {
        const Hdf5Failure last = take_hdf5_failure();
        if (failure.text.empty()) failure = reading_failure(part, last, disk);
        return -1;
    }
};

/// Returns the widest type for integers or real numbers.
hid_t memory_type_of(hid_t stored) {
    const H5T_class_t type = H5Tget_class(stored);
    return type == H5T_INTEGER ? H5T_NATIVE_INT64 : type == H5T_FLOAT ? H5T_NATIVE_DOUBLE : -1;
}

/// Visitor of H5Aiterate2. `data` points to a Trial.
herr_t read_attribute(hid_t object, const char* name, const H5A_info_t* /*info*/, void* data) {
    Trial& trial = *static_cast<Trial*>(data);
    const std::string part = fmt::format("attribute {} of {}", name, trial.object);
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (!attribute.valid() || H5Aexists(object, name) <= 0) return trial.fail(part);
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    if (!type.valid() || !space.valid()) return trial.fail(part);
    if (H5Sget_simple_extent_npoints(space.get()) != 1) return 0;
    std::int64_t value = 0;
    std::string text;
    if (const hid_t memory = memory_type_of(type.get()); memory >= 0)
        return H5Aread(attribute.get(), memory, &value) < 0 ? trial.fail(part) : 0;
    if (H5Tget_class(type.get()) != H5T_STRING) return 0;
    return read_text(attribute.get(), type.get(), text) ? 0 : trial.fail(part);
}

/// Returns how many bytes in memory are worth reading: a thousand times the bytes in the file, for deflated
/// data, and some more for parts that were never written.
double bytes_worth_reading(hid_t dataset, double bytes, std::uint64_t file_size) {
    const auto stored = static_cast<double>(std::min<hsize_t>(H5Dget_storage_size(dataset), file_size));
    return std::min(bytes, 8 * 1100 * stored + 2.0 * max_row_bytes);
}

herr_t read_numbers(hid_t dataset, Trial& trial) {
    if (!missing_data(dataset).empty()) return 0;  // reported when the data are needed
    const std::string part = "dataset " + trial.object;
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    if (!type.valid() || !space.valid()) return trial.fail(part);
    const hid_t memory_type = memory_type_of(type.get());
    const int rank = H5Sget_simple_extent_ndims(space.get());
    const hssize_t points = H5Sget_simple_extent_npoints(space.get());
    if (rank < 0 || points < 0) return trial.fail(part);
    if (memory_type < 0 || points == 0) return 0;
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 1)), 1), start(extents.size(), 0);
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    const hsize_t rows = extents[0], row_bytes = 8 * (static_cast<hsize_t>(points) / rows);
    if (row_bytes == 0 || row_bytes > max_row_bytes) return 0;
    const double worth = bytes_worth_reading(dataset, 8.0 * static_cast<double>(points), trial.disk.size());
    allow_seconds(structure_seconds + worth / slowest_bytes);
    const hsize_t at_once = std::clamp<hsize_t>(piece_bytes / row_bytes, 1, rows);
    std::vector<char> values(at_once * row_bytes);
    for (hsize_t row = 0; row < rows && static_cast<double>(row * row_bytes) < worth; row += at_once) {
        start[0] = row;
        extents[0] = std::min(at_once, rows - row);
        const Handle rows_read(
            rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extents.data(), nullptr), H5Sclose);
        if (rank > 0)
            H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr);
        if (H5Dread(dataset, memory_type, rows_read.get(), space.get(), H5P_DEFAULT, values.data()) < 0)
            return trial.fail(part);
    }
    return 0;
}

/// Visitor of H5Ovisit. `data` points to a Trial.
herr_t read_object(hid_t file, const char* name, const H5O_info_t* /*info*/, void* data) {
    Trial& trial = *static_cast<Trial*>(data);
    trial.object = std::strcmp(name, ".") == 0 ? "the root" : fmt::format("/{}", name);
    const Handle object(H5Oopen(file, name, H5P_DEFAULT), H5Oclose);
    if (!object.valid()) return trial.fail(trial.object);
    hsize_t first = 0;
    if (H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_NATIVE, &first, read_attribute, &trial) < 0)
        return trial.fail("attributes of " + trial.object);
    return H5Iget_type(object.get()) == H5I_DATASET ? read_numbers(object.get(), trial) : 0;
}

/// Returns the first failure; no text: none.
ReadFailure read_all(Disk& disk) {
    const Handle access = disk_access_list(disk, "trial");
    const Handle file(H5Fopen("trial", H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!file.valid()) return opening_failure(take_hdf5_failure(), disk);
    Trial trial{disk, {}, {}};
#if H5_VERSION_GE(1, 12, 0)
    const herr_t end =
        H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, read_object, &trial, H5O_INFO_BASIC);
#else
    const herr_t end = H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, read_object, &trial);
#endif
    if (end < 0) trial.fail("what comes after " + trial.object);
    return trial.failure;
}

/// Returns the failure after 'm' (memory was short) or 'd' (damage).
std::string unreadable(Disk& disk) {
    const ReadFailure failure = read_all(disk);
    H5garbage_collect();  // finds writes beyond the end of blocks
    return failure.text.empty() ? "" : fmt::format("{}{}", failure.memory ? 'm' : 'd', failure.text);
}

/// Runs the trial in the child process: silent, without core dump, ended with its parent, and without
/// handlers of stop requests, which the parent handles. Writes the failure to `answer`.
[[noreturn]] void child(Disk& disk, int answer) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    for (const int stop : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) std::signal(stop, SIG_IGN);
    std::signal(SIGXCPU, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, output);
    allow_seconds(structure_seconds);
    std::string text;
    try {
        text = unreadable(disk);
    } catch (const std::bad_alloc&) {
        text = "mthere is not enough memory to read the file";
    }
    _exit(write(answer, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

struct Ending {
    int status = 0;      ///< of the child, from waitpid
    std::string answer;  ///< answer of the child
};

std::string read_to_end(int pipe) {
    std::string text;
    for (char piece[4096];;) {
        const ssize_t got = read(pipe, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(piece, static_cast<std::size_t>(got));
    }
}

/// Runs `child` and waits for its end.
Ending run_child(Disk& disk, const std::string& path) {
    const auto fail = [&path](int error) {
        throw EnvironmentError(
            fmt::format("{}: cannot be examined in a separate process: {}", path, std::strerror(error)));
    };
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail(errno);
    struct sigaction usual {
    }, before{};
    usual.sa_handler = SIG_DFL;  // if SIGCHLD is ignored, waitpid returns no status
    sigaction(SIGCHLD, &usual, &before);
    const pid_t process = fork();
    int error = process < 0 ? errno : 0;
    if (process == 0) child(disk, ends[1]);
    close(ends[1]);
    Ending ending;
    if (error == 0) ending.answer = read_to_end(ends[0]);
    close(ends[0]);
    while (error == 0 && waitpid(process, &ending.status, 0) < 0) error = errno == EINTR ? 0 : errno;
    sigaction(SIGCHLD, &before, nullptr);
    if (error != 0) fail(error);
    return ending;
}

bool crashed(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status) != 0;  // reported by a sanitizer
    const int signal = WTERMSIG(status);
    const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU};
    return std::find(std::begin(crashes), std::end(crashes), signal) != std::end(crashes);
}

}  // namespace

void trial_read(Disk& disk, const std::string& path) {
    const auto [status, answer] = run_child(disk, path);
    const std::string remedy = "; copy the file again or make it anew";
    if (crashed(status))
        throw InputError(path + ": the file is damaged: HDF5 " +
                         (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU
                              ? "does not come to an end with it"
                              : "crashes on it") +
                         remedy);
    if (WIFSIGNALED(status))
        throw EnvironmentError(fmt::format("{}: the process that examined it was ended by signal {} ({})",
                                           path, WTERMSIG(status), strsignal(WTERMSIG(status))));
    if (answer.starts_with('m')) throw EnvironmentError(path + ": " + answer.substr(1));
    if (!answer.empty()) throw InputError(path + ": " + answer.substr(1));
}

}  // namespace psflip
