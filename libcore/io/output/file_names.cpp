#include "io/output/file_names.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "io/output/temporary_name.hpp"

namespace psflip {
namespace {

namespace fs = std::filesystem;

constexpr std::array own_endings = {".lock", ".lock.takeover", ".checkpoint.h5", ".checkpoint.previous.h5"};

/// The target of a path, and the file there, if any.
class Place {
  public:
    explicit Place(const std::string& path) {
        std::error_code error;
        const fs::path full = fs::absolute(path, error);
        path_ = fs::weakly_canonical(full, error);
        if (error) path_ = full.lexically_normal();
        struct stat info {};
        there_ = stat(path.c_str(), &info) == 0;
        device_ = info.st_dev;
        inode_ = info.st_ino;
    }

    bool operator==(const Place& other) const {
        return path_ == other.path_ ||
               (there_ && other.there_ && device_ == other.device_ && inode_ == other.inode_);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
    bool there_ = false;
    dev_t device_{};
    ino_t inode_{};
};

/// An output and the names of its lock, checkpoints and temporaries.
class Output {
  public:
    explicit Output(const NamedFile& file) : file_(file), place_(file.path) {
        for (const char* ending : own_endings) beside_.emplace_back(file.path + ending);
    }

    const NamedFile& file() const { return file_; }
    const Place& place() const { return place_; }

    bool uses(const Place& other) const {
        for (const Place& place : beside_)
            if (place == other) return true;
        const std::string path = beside_.front().path();  // the folder, because `out` itself may be a link
        return fs::path(path).parent_path() == other.path().parent_path() &&
               writer_of(file_.path, other.path().filename());
    }

  private:
    const NamedFile& file_;
    Place place_;
    std::vector<Place> beside_;
};

/// Endings of names that other calls use for checkpoints, locks and temporaries.
void check_not_kept(const NamedFile& output) {
    for (const char* ending : own_endings)
        if (output.path.ends_with(ending))
            throw InputError(
                fmt::format("{} {}: psflip needs names that end in {} for files next to an output; "
                            "give {} another name",
                            output.option, output.path, ending, output.option));
}

void check_not_used(const Output& output, const NamedFile& other, const Place& place) {
    if (!output.uses(place)) return;
    throw InputError(fmt::format(
        "{} {}: this call uses that name for a lock, checkpoint or temporary of {} {}; give {} another name",
        other.option, other.path, output.file().option, output.file().path, other.option));
}

void check_input(const Output& output, const NamedFile& input, const Place& place) {
    if (output.place() == place)
        throw InputError(fmt::format(
            "{} {} is an input of this call, {} {}, and would be lost; give {} another name",
            output.file().option, output.file().path, input.option, input.path, output.file().option));
    check_not_used(output, input, place);
}

void check_two(const Output& a, const Output& b) {
    if (a.place() == b.place())
        throw InputError(fmt::format("{} {} and {} {} are the same file; give them different names",
                                     a.file().option, a.file().path, b.file().option, b.file().path));
    check_not_used(a, b.file(), b.place());
    check_not_used(b, a.file(), a.place());
}

}  // namespace

std::string link_target(std::string path) {
    constexpr int most = 40;
    std::error_code error;
    for (int links = 0; fs::is_symlink(path, error); ++links) {
        if (links == most) throw InputError(path + ": its links lead in a circle; give the name of a file");
        path = fs::path(path).parent_path() / fs::read_symlink(path);
    }
    return path;
}

void check_file_names(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
    const std::vector<Output> places(outputs.begin(), outputs.end());
    for (const NamedFile& input : inputs) {
        const Place place(input.path);
        for (const Output& output : places) check_input(output, input, place);
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) check_two(places[j], places[i]);
    for (const NamedFile& output : outputs) check_not_kept(output);
}

}  // namespace psflip
