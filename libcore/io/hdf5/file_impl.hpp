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

/// Threads that are made when they are first needed: few datasets have more than a chunk.
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

/// Private to io/: what is behind InputFile.
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
    std::map<std::string, Handle> datasets;  ///< opened so far; an open dataset keeps its chunk cache

    void check_bytes();  ///< before HDF5 sees the file
    void open();         ///< the file of `disk`, for reading
    hid_t dataset(const std::string& name);
    /// The opened attribute; InputError where the object or the attribute is missing.
    Handle attribute(const std::string& name) const;
    /// HDF5 1.10 takes negative integers for too precise, so they are converted here; beyond 2^53 they are
    /// refused.
    Array<double> to_double(const Array<std::int64_t>& integers, const std::string& name) const;
    std::vector<std::int64_t> extents_of(const std::string& name);
    /// The type in the file, which can be read as `wanted`; InputError otherwise, or where there is no such
    /// box.
    Handle stored_type(const std::string& name, hid_t wanted, const Box& box);
    /// The elements of a box, which lie within the dataset, as `type` to an array.
    void read(hid_t dataset, const std::string& name, hid_t type, const Box& box, void* to);
    /// Does it by threads, where box, chunks and types allow and it is worth it; false: not done.
    bool read_by_chunks(hid_t dataset, hid_t type, const Box& box, void* to);
    [[noreturn]] void fail(const std::string& what) const;  ///< InputError "PATH: what"
    /// EnvironmentError where memory was the cause, else InputError.
    [[noreturn]] void fail_with(const ReadFailure& failure) const;
    /// After a failed HDF5 call.
    [[noreturn]] void fail_reading(const std::string& object) const;
};

/// Private to io/: what is behind OutputFile.
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
    std::map<std::string, Handle> datasets;  ///< made by create()
    std::set<std::string> documented;        ///< groups that have their `doc`
    bool open = false;

    /// Gives up the file and throws EnvironmentError unless the last HDF5 call (its result is given) and all
    /// writes were good.
    void check(hid_t result);
    /// Owner of a new id, checked.
    Handle hold(hid_t id, Handle::Closer closer);
    [[noreturn]] void fail();
    void require_open() const;
    /// Closes everything without further writes to the disk and removes the temporary.
    void abandon() noexcept;
    Handle make_dataset(const std::string& name, const std::vector<std::int64_t>& shape, hid_t type,
                        std::size_t element_size, Storage storage);
    std::vector<std::int64_t> extents_of(const std::string& dataset);  ///< of one that create() made
    /// Elements of a box, as `type` in memory.
    void write(hid_t dataset, hid_t type, const Box& box, const void* data);
    void set_attribute(const std::string& name, hid_t stored, hid_t memory, const void* value);
    void add_attribute(hid_t object, const char* name, hid_t stored, hid_t memory, const void* value);
    void add_text(hid_t object, const char* name, const std::string& text);
    void add_info(hid_t dataset, const DatasetInfo& info);
    /// Gives the groups that this dataset lies in their `doc` (file_doc.hpp).
    void document_groups(const std::string& dataset);
};

/// "group/or/dataset@name" in its parts; object "/" where there is no '@'.
struct AttributeName {
    std::string object, name;
};
AttributeName split_attribute(const std::string& name);

/// "an" for observables, else "a".
const char* article(const std::string& kind);

/// Whether every part of the name exists. InputError naming `path` where one is a link into another file.
bool object_exists(hid_t file, const std::string& name, const std::string& path);

}  // namespace psflip
