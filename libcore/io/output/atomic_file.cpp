#include "io/output/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "io/file.hpp"
#include "io/output/output_guard.hpp"
#include "io/output/temporary_name.hpp"

namespace psflip {
namespace {

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

const char* hint(int system_error) {
    switch (system_error) {
        case ENOSPC:
            return " (the disk is full: free some space or write to another disk)";
        case EDQUOT:
            return " (your disk quota is used up)";
        case EFBIG:
            return " (larger than the file system or `ulimit -f` allows)";
        case ENOENT:
            return " (the folder does not exist: make it first)";
        case ENOTDIR:
            return " (a part of the path is a file, not a folder)";
        case EACCES:
        case EPERM:
            return " (you may not write in this folder)";
        case EROFS:
            return " (the file system is mounted read-only)";
        default:
            return "";
    }
}

std::string write_error_text(const std::string& path, const std::string& reason) {
    return fmt::format("cannot write {}: {}", path, reason);
}

}  // namespace

void throw_write_error(const std::string& path, int system_error) {
    const std::string reason = std::string(std::strerror(system_error)) + hint(system_error);
    if (system_error == ENOSPC || system_error == EDQUOT) throw DiskFullError(write_error_text(path, reason));
    throw_write_error(path, reason);
}

void throw_write_error(const std::string& path, const std::string& reason) {
    throw EnvironmentError(write_error_text(path, reason));
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), folder_(folder_of(path)) {
    static std::atomic<unsigned> counter{0};
    struct stat info {};
    if (path.empty() || path.back() == '/' || (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))) {
        throw InputError(fmt::format("cannot write {}: this is not a regular file; give the name of a file",
                                     path.empty() ? "\"\"" : path));
    }
    const TemporaryWriter writer = this_writer();
    do {
        temporary_ = temporary_name(path, writer, counter++);
        descriptor_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) throw_write_error(path, errno);
}

AtomicFile::~AtomicFile() {
    discard();
}

void AtomicFile::discard() noexcept {
    if (descriptor_ < 0) return;
    unlink(temporary_.c_str());
    close(std::exchange(descriptor_, -1));
}

void AtomicFile::flush() {
    // Some file systems report a full disk or a write error only here.
    if (fsync(descriptor_) == 0) return;
    const int error = errno;
    discard();
    throw_write_error(path_, error);
}

void AtomicFile::commit() {
    if (descriptor_ < 0) throw std::logic_error(path_ + " is committed twice, or after it was given up");
    flush();
    OutputGuard::check(path_);
    int error = rename(temporary_.c_str(), path_.c_str()) != 0 ? errno : 0;
    if (error != 0) {
        discard();
        throw_write_error(path_, error);
    }
    OutputGuard::note(path_);
    close(std::exchange(descriptor_, -1));
    const int folder = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;  // the folder is writable but not readable, so it cannot be flushed
    error = fsync(folder) != 0 ? errno : 0;
    close(folder);
    if (error != 0 && error != EINVAL && error != ENOTSUP) throw_write_error(path_, error);
}

bool AtomicFile::commit_if_absent() {
    if (descriptor_ < 0) throw std::logic_error(path_ + " is committed twice, or after it was given up");
    flush();
    int error = link(temporary_.c_str(), path_.c_str()) != 0 ? errno : 0;
    struct stat info {};
    if (error != 0 && fstat(descriptor_, &info) == 0 && info.st_nlink == 2) error = 0;  // NFS lost the reply
    if (error == EPERM || error == ENOTSUP || error == ENOSYS ||
        error == EMLINK) {  // the file system has no links
        const int claimed = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = claimed < 0 ? errno : 0;
        if (claimed >= 0) close(claimed);
        if (claimed >= 0 && rename(temporary_.c_str(), path_.c_str()) != 0) error = errno;
    }
    discard();
    if (error != 0 && error != EEXIST) throw_write_error(path_, error);
    return error == 0;
}

void AtomicFile::write(const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw_write_error(path_, errno);
        done += static_cast<std::size_t>(written);
    }
}

void write_text_file(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

bool create_text_file(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    return file.commit_if_absent();
}

void check_writable(const std::string& path) {
    AtomicFile probe(path);
}

}  // namespace psflip
