#pragma once

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/dataset_info.hpp"
#include "unit/messages.hpp"
#include "unseal.hpp"

namespace psflip::test {

/// Makes a separate folder for a test, and removes it in the destructor.
class Scratch {
  public:
    Scratch() {
        std::string name = (std::filesystem::temp_directory_path() / "psflip-io-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        folder_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    std::string folder() const { return folder_; }
    std::size_t entries() const {
        const std::filesystem::directory_iterator begin(folder_), end;
        return static_cast<std::size_t>(std::distance(begin, end));
    }

  private:
    std::string folder_;
};

/// Returns whether this process may mount a tmpfs. If not, tests that need a separate disk are skipped:
/// TEST_CASE("name" * doctest::skip(!can_mount())).
inline bool can_mount() {
    static const bool possible = [] {
        std::error_code ignored;
        std::string folder = (std::filesystem::temp_directory_path() / "psflip-mount-XXXXXX").string();
        if (mkdtemp(folder.data()) == nullptr) return false;
        const bool mounted = mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=4k") == 0;
        if (mounted) umount2(folder.c_str(), MNT_DETACH);
        std::filesystem::remove(folder, ignored);
        return mounted;
    }();
    return possible;
}

/// Mounts a small file system in memory on a separate folder.
class SmallDisk {
  public:
    explicit SmallDisk(const std::string& options) {
        REQUIRE(mount("tmpfs", scratch_.folder().c_str(), "tmpfs", 0, options.c_str()) == 0);
    }
    ~SmallDisk() { umount2(scratch_.folder().c_str(), MNT_DETACH); }
    SmallDisk(const SmallDisk&) = delete;
    void make_read_only() const {
        REQUIRE(mount("tmpfs", scratch_.folder().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0);
    }
    const Scratch& scratch() const { return scratch_; }

  private:
    Scratch scratch_;
};

/// Takes from a process of root the right to read all files, as long as the object exists.
class WithoutRoot {
  public:
    WithoutRoot() {
        if (user_ == 0) REQUIRE(seteuid(65534) == 0);
    }
    ~WithoutRoot() {
        if (user_ == 0 && seteuid(user_) != 0) std::abort();
    }
    WithoutRoot(const WithoutRoot&) = delete;

  private:
    const uid_t user_ = geteuid();
};

/// Serves as a DatasetTable that knows every name.
inline DatasetInfo any_dataset(const std::string& name) {
    return {"1", "What " + name + " holds.", "axis"};
}

inline std::string file_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Removes the seal of a psflip file and returns the remaining bytes.
inline std::string unsealed_bytes(const std::string& path) {
    unseal(path);
    return file_bytes(path);
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace psflip::test
