#pragma once

#include <map>
#include <optional>
#include <string>

#include "io/atomic_file.hpp"
#include "io/file.hpp"
#include "io/handle.hpp"

namespace psflip {

/// Private to io/: what is behind InputFile.
struct InputFile::Impl {
    std::string path;
    std::string kind;
    Handle file;
    std::map<std::string, Handle> datasets;  ///< opened so far; an open dataset keeps its chunk cache

    hid_t dataset(const std::string& name);
    /// The opened attribute; InputError where the object or the attribute is missing.
    Handle attribute(const std::string& name) const;
    [[noreturn]] void fail(const std::string& what) const;            ///< InputError "PATH: what"
    [[noreturn]] void fail_reading(const std::string& object) const;  ///< after a failed HDF5 read
};

/// Private to io/: what is behind OutputFile.
struct OutputFile::Impl {
    explicit Impl(const std::string& path) : target(path) {}
    ~Impl() { abandon(); }

    AtomicFile target;
    Handle file;
    std::map<std::string, Handle> datasets;  ///< made by create()
    bool open = false;

    /// The id where the last HDF5 call was good; else gives up the file and throws EnvironmentError.
    hid_t checked(hid_t id);
    void check(herr_t status) { checked(status); }
    [[noreturn]] void fail();
    void require_open() const;
    /// Closes everything without further writes to the disk and removes the temporary.
    void abandon() noexcept;
    Handle make_dataset(const std::string& name, const std::vector<std::int64_t>& shape, hid_t type,
                        std::size_t element_size, Storage storage);
    void set_attribute(const std::string& name, hid_t stored, hid_t memory, const void* value);
};

/// "group/or/dataset@name" in its parts; object "/" where there is no '@'.
struct AttributeName {
    std::string object, name;
};
AttributeName split_attribute(const std::string& name);

/// Whether every part of the path exists.
bool object_exists(hid_t file, const std::string& name);

}  // namespace psflip
