#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/thread_pool.hpp"
#include "io/file.hpp"
#include "io/hdf5/disk_driver.hpp"
#include "io/hdf5/handle.hpp"
#include "io/hdf5/read_failure.hpp"
#include "io/hdf5/seal.hpp"
#include "io/output/atomic_file.hpp"

namespace psflip {

/// Makes threads when they are first needed, because few datasets have more than one chunk.
class ThreadsOnDemand {
  public:
    explicit ThreadsOnDemand(int threads) : threads_(threads) {}
    ThreadPool& for_bytes(std::size_t bytes) {
        constexpr std::size_t little = std::size_t{1} << 20;  // a chunk
        if (bytes <= little || threads_ == 1) return alone_;
        if (!all_) all_.emplace(threads_);
        return *all_;
    }

  private:
    int threads_;
    ThreadPool alone_{1};
    std::optional<ThreadPool> all_;
};

/// Implements InputFile. Private to io/.
struct InputFile::Impl {
    Impl(const std::string& path, const std::string& kind, int threads);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    std::string path;
    std::string kind;
    Disk disk;
    FileBytes bytes;
    ThreadsOnDemand threads;
    Handle file;
    std::map<std::string, Handle> datasets;  ///< open datasets, which keep their chunk caches

    void check_bytes();  ///< checks the seal before HDF5 sees the file
    void open();         ///< opens the file of `disk` for reading
    hid_t dataset(const std::string& name);
    /// Opens an attribute. Errors: InputError if the object or the attribute is missing.
    Handle attribute(const std::string& name) const;
    /// Converts integers to doubles, because HDF5 1.10 reports a loss of precision if it converts negative
    /// integers. Refuses absolute values above 2^53.
    Array<double> to_double(const Array<std::int64_t>& integers, const std::string& name) const;
    std::vector<std::int64_t> extents_of(const std::string& name);
    /// Returns the type of the dataset in the file. Errors: InputError if values of this type cannot be read
    /// as `wanted`, or if the dataset does not contain the box.
    Handle stored_type(const std::string& name, hid_t wanted, const Box& box);
    /// Reads the elements of a box within the dataset to an array of `type`.
    void read(hid_t dataset, const std::string& name, hid_t type, const Box& box, void* to);
    /// Reads with several threads if box, chunks and types allow it and it saves time. Returns false if it
    /// has not read.
    bool read_by_chunks(hid_t dataset, hid_t type, const Box& box, void* to);
    [[noreturn]] void fail(const std::string& what) const;  ///< throws InputError "PATH: what"
    /// Throws EnvironmentError if memory was short, otherwise InputError.
    [[noreturn]] void fail_with(const ReadFailure& failure) const;
    /// Throws the error of a failed HDF5 call.
    [[noreturn]] void fail_reading(const std::string& object) const;
};

/// Implements OutputFile. Private to io/.
struct OutputFile::Impl {
    Impl(const std::string& path, DatasetTable datasets, int threads)
        : target(path), table(std::move(datasets)), threads(threads) {
        disk.descriptor = target.descriptor();
    }
    ~Impl() { abandon(); }

    AtomicFile target;
    DatasetTable table;
    Disk disk;
    ThreadsOnDemand threads;
    Handle file;
    std::map<std::string, Handle> datasets;  ///< datasets of create()
    std::set<std::string> documented;        ///< groups with a `doc`
    bool open = false;

    /// Checks the result of the last HDF5 call and all writes. Errors: EnvironmentError; the file is then
    /// abandoned.
    void check(hid_t result);
    /// Checks a new identifier as check() does, and returns its owner.
    Handle hold(hid_t id, Handle::Closer closer);
    [[noreturn]] void fail();
    void require_open() const;
    /// Closes everything without further writes and removes the temporary.
    void abandon() noexcept;
    Handle make_dataset(const std::string& name, const std::vector<std::int64_t>& shape, hid_t type,
                        std::size_t element_size, Storage storage);
    std::vector<std::int64_t> extents_of(const std::string& dataset);  ///< extents of a dataset of create()
    /// Writes the elements of a box, which have `type` in memory.
    void write(hid_t dataset, hid_t type, const Box& box, const void* data);
    void set_attribute(const std::string& name, hid_t stored, hid_t memory, const void* value);
    void add_attribute(hid_t object, const char* name, hid_t stored, hid_t memory, const void* value);
    void add_text(hid_t object, const char* name, const std::string& text);
    void add_info(hid_t dataset, const DatasetInfo& info);
    /// Writes the `doc` of the groups of this dataset (file_doc.hpp).
    void document_groups(const std::string& dataset);
};

/// Holds the parts of "group/or/dataset@name". Without '@', the object is "/".
struct AttributeName {
    std::string object, name;
};
AttributeName split_attribute(const std::string& name);

/// Returns the article of a kind of file for messages: "an" for observables, otherwise "a".
const char* article(const std::string& kind);

/// Returns whether every part of the name exists. Errors: InputError with `path` if a part is a link into
/// another file.
bool object_exists(hid_t file, const std::string& name, const std::string& path);

}  // namespace psflip
