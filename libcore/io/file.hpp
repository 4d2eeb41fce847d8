// Reads and writes psflip's HDF5 files, and checks everything that a user or a disk can damage. Only this
// room calls the HDF5 library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/dataset_info.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// Holds a dense array in row-major order with its shape.
template <class T>
struct Array {
    std::vector<std::int64_t> shape;
    std::vector<T> data;
};

/// Names a box of an array: the elements first[i] to first[i] + count[i] - 1 along every axis i.
struct Box {
    std::vector<std::int64_t> first, count;
};

/// Says how a dataset is stored. plain: uncompressed, for spins, which are random bits. deflated: shuffled
/// and deflated. Both have fletcher32 checksums.
enum class Storage { plain, deflated };

/// Holds kind and versions of a psflip file, from the root attributes of the file.
struct FileLabel {
    std::string kind;
    std::int64_t format_version = 0;
    std::optional<std::int64_t> physics_version;  ///< absent in some hand-written disorder files
};

/// Reads a psflip HDF5 file. One thread at a time may use it. The type T of the templates is int8, uint8,
/// int32, uint32, int64, uint64, float or double. The seal of the file is checked first (io/hdf5/seal.hpp). A
/// file that was never sealed is first read in another process (io/hdf5/trial_read.hpp). A file that is
/// marked as sealed but has no seal is refused. `threads` threads (0: all cores) unpack large datasets
/// together.
/// Errors name file and dataset. InputError: missing file, not a regular file, not HDF5, truncated, damaged,
/// wrong kind, format_version or physics_version, wrong type or shape, impossible value. EnvironmentError: no
/// permission, no memory.
class InputFile {
  public:
    /// Opens `path` and checks the root attributes format, kind, format_version and, if present,
    /// physics_version.
    InputFile(const std::string& path, const std::string& kind, int threads = 1);
    ~InputFile();
    InputFile(InputFile&&) noexcept;
    InputFile& operator=(InputFile&&) noexcept;

    /// Returns the label of a file of any kind and version, or nothing for an HDF5 file of another
    /// program. Errors: InputError if the file is not HDF5 or cannot be read.
    static std::optional<FileLabel> label(const std::string& path);

    const std::string& path() const;
    bool has(const std::string& name) const;  ///< whether a dataset or group has this name
    std::vector<std::int64_t> shape(const std::string& dataset) const;
    /// Checks the shape of a dataset. A negative extent in `wanted` allows any extent. Errors: InputError.
    void require_shape(const std::string& dataset, const std::vector<std::int64_t>& wanted) const;
    template <class T>
    Array<T> read(const std::string& dataset)
        const;  ///< also converts integers, and float32 to double, if no value changes
    /// Reads the elements [first, first + count) of the leading axis.
    template <class T>
    Array<T> read_rows(const std::string& dataset, std::int64_t first, std::int64_t count) const;
    /// Reads the elements of a box.
    template <class T>
    Array<T> read_box(const std::string& dataset, const Box& box) const;
    /// Reads the elements of a box into the array `to`.
    template <class T>
    void read_box_to(const std::string& dataset, const Box& box, T* to) const;
    bool has_attribute(const std::string& name) const;  ///< "name" of the root, or "group/or/dataset@name"
    std::uint64_t unsigned_attribute(
        const std::string& name) const;  ///< Errors: InputError for negative values
    /// Reads an attribute. Errors: InputError for values outside [low, high] and for NaN.
    std::int64_t integer_attribute(const std::string& name, std::int64_t low, std::int64_t high) const;
    double real_attribute(const std::string& name, double low, double high) const;
    std::string text_attribute(const std::string& name) const;
    /// Returns the XXH64 of the file as 16 hex digits, as the command `xxh64sum FILE` prints it.
    const std::string& content_hash() const;

  private:
    struct Impl;
    explicit InputFile(std::unique_ptr<Impl> impl);
    void check_root() const;  ///< checks format, kind and versions
    std::unique_ptr<Impl> impl_;
};

/// Writes a psflip HDF5 file under a temporary name in the folder of its final name. commit() flushes and
/// renames it. Without commit, the destructor removes the temporary, and an existing file stays unchanged.
/// `threads` threads (0: all cores) deflate large datasets together. The bytes of the file do not depend on
/// `threads`. One thread at a time may use the object. The type T is one of the types of InputFile.
/// Errors: InputError if the path is a folder or a device. EnvironmentError, whose message names the file, if
/// the folder is missing or not writable, the disk is full, and so on. The file is then abandoned.
/// std::logic_error for a dataset that is not in the table, for rows or boxes outside of a dataset or without
/// create, and for an attribute of a missing object. std::logic_error also for every write after finish or an
/// EnvironmentError.
class OutputFile {
  public:
    /// path: final name. kind: one of the kinds in io/schema.hpp. table: gives the attributes of every
    /// dataset.
    OutputFile(const std::string& path, const std::string& kind, const Provenance& provenance,
               DatasetTable table, int threads = 1);
    ~OutputFile();
    OutputFile(OutputFile&&) noexcept;

    /// Writes a dataset and creates missing groups. `data` has as many elements as `shape`.
    template <class T>
    void write(const std::string& dataset, const std::vector<std::int64_t>& shape, const T* data,
               Storage storage = Storage::deflated);
    template <class T>
    void write(const std::string& dataset, const std::vector<std::int64_t>& shape, const std::vector<T>& data,
               Storage storage = Storage::deflated) {
        write(dataset, shape, data.data(), storage);
    }
    /// An array to be written as a dataset.
    struct Named {
        std::string dataset;
        std::vector<std::int64_t> shape;
        const double* data;
    };
    /// Writes datasets as `write`. Threads deflate them together, because each of them may have few chunks.
    void write_all(const std::vector<Named>& arrays);
    /// Creates a dataset to be filled in parts, for arrays that do not fit into memory. write_rows (along the
    /// leading axis) or write_box must fill it.
    template <class T>
    void create(const std::string& dataset, const std::vector<std::int64_t>& shape,
                Storage storage = Storage::deflated);
    /// Returns the number of rows to pass to one call of write_rows. These rows fill whole chunks of about
    /// `bytes` bytes in all, so that threads can share the work.
    std::int64_t rows_of(const std::string& dataset, std::int64_t bytes);
    template <class T>
    void write_rows(const std::string& dataset, std::int64_t first, std::int64_t count, const T* data);
    template <class T>
    void write_box(const std::string& dataset, const Box& box, const T* data);
    /// Writes an attribute: "name" of the root, or "group/or/dataset@name" of an existing object.
    void attribute(const std::string& name, std::int64_t value);
    void attribute(const std::string& name, std::uint64_t value);
    void attribute(const std::string& name, double value);
    void attribute(const std::string& name, const std::string& value);

    /// Completes the temporary file, seals it (io/hdf5/seal.hpp) and flushes it to disk. commit() then only
    /// renames the file. If several outputs must appear together, finish all before the first commit. After
    /// finish, the caller must not write.
    void finish();
    /// Renames the complete file to its final name. Calls finish() first if that was not done.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Checks early that `path` can be written later. Errors: InputError for a folder or a device;
/// EnvironmentError if the folder is missing or not writable, or if the file system refuses a new file. A
/// full disk often allows an empty file, so it may pass.
void check_writable(const std::string& path);

}  // namespace psflip
