#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/dataset_info.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// A dense array in row-major order with its shape.
template <class T>
struct Array {
    std::vector<std::int64_t> shape;
    std::vector<T> data;
};

/// A part of an array: elements first[i], ..., first[i] + count[i] - 1 along every axis i.
struct Box {
    std::vector<std::int64_t> first, count;
};

/// How a dataset is stored: plain (spins: random bits do not compress) or shuffled and deflated. Both carry
/// fletcher32 checksums.
enum class Storage { plain, deflated };

/// What the root attributes of a psflip file say of it.
struct FileLabel {
    std::string kind;
    std::int64_t format_version = 0;
    std::optional<std::int64_t> physics_version;  ///< a hand-written disorder file may lack it
};

/// A psflip HDF5 file opened for reading. Like all of HDF5's serial library, for one thread at a time.
/// T of the templates is one of int8, uint8, int32, uint32, int64, uint64 (std:: types),
/// float (as float32) and double. Errors name file and dataset and say what is wrong. InputError: missing, no
/// regular file, not HDF5, truncated, damaged, wrong kind, wrong format_version or physics_version, wrong
/// type or shape, impossible value. EnvironmentError: no permission, no memory. The seal of a file is checked
/// first (io/hdf5/seal.hpp); a file without one is tried in a process of its own (io/hdf5/trial_read.hpp),
/// and refused where it had one. `threads` (0: all cores) share the unpacking of large datasets; what is read
/// does not depend on them.
class InputFile {
  public:
    /// Opens `path` and checks the root attributes format = "psflip", kind and format_version;
    /// physics_version is checked where the attribute is present (a hand-written disorder file may lack it).
    InputFile(const std::string& path, const std::string& kind, int threads = 1);
    ~InputFile();
    InputFile(InputFile&&) noexcept;
    InputFile& operator=(InputFile&&) noexcept;

    /// Of a file of any kind and version; nothing where it is an HDF5 file, but not psflip's. InputError
    /// where it is none or cannot be read.
    static std::optional<FileLabel> label(const std::string& path);

    const std::string& path() const;
    bool has(const std::string& name) const;  ///< dataset or group
    std::vector<std::int64_t> shape(const std::string& dataset) const;
    /// InputError where the dataset's shape is another one; a negative extent stands for any number.
    void require_shape(const std::string& dataset, const std::vector<std::int64_t>& wanted) const;
    template <class T>
    Array<T> read(const std::string& dataset)
        const;  ///< any integer width and float32 to double where no value changes
    /// Elements [first, first + count) along the leading axis.
    template <class T>
    Array<T> read_rows(const std::string& dataset, std::int64_t first, std::int64_t count) const;
    template <class T>
    Array<T> read_box(const std::string& dataset, const Box& box) const;
    /// The same to memory for all elements of the box.
    template <class T>
    void read_box_to(const std::string& dataset, const Box& box, T* to) const;
    bool has_attribute(const std::string& name) const;  ///< "name" of the root, or "group/or/dataset@name"
    std::uint64_t unsigned_attribute(const std::string& name) const;  ///< InputError for negative values
    /// InputError for a value outside of low to high (no number is never inside).
    std::int64_t integer_attribute(const std::string& name, std::int64_t low, std::int64_t high) const;
    double real_attribute(const std::string& name, double low, double high) const;
    std::string text_attribute(const std::string& name) const;
    /// XXH64 of the file's bytes as 16 hex digits, for provenance: what the command `xxh64sum FILE` prints.
    const std::string& content_hash() const;

  private:
    struct Impl;
    explicit InputFile(std::unique_ptr<Impl> impl);
    void check_root() const;  ///< format, kind and versions
    std::unique_ptr<Impl> impl_;
};

/// A psflip HDF5 file written under a temporary name in the same folder. commit() flushes it to disk and
/// renames it; without commit the temporary is removed and an existing file of the final name stays as it
/// was. Throws EnvironmentError (folder missing or not writable, disk full, ...) naming the file. `threads`
/// (0: all cores) share the deflating of large datasets; the bytes do not depend on them.
class OutputFile {
  public:
    /// Every dataset gets the attributes that `table` has for it, and cannot be written without.
    OutputFile(const std::string& path, const std::string& kind, const Provenance& provenance,
               DatasetTable table, int threads = 1);
    ~OutputFile();
    OutputFile(OutputFile&&) noexcept;

    /// Creates intermediate groups. data holds the product of shape elements.
    template <class T>
    void write(const std::string& dataset, const std::vector<std::int64_t>& shape, const T* data,
               Storage storage = Storage::deflated);
    template <class T>
    void write(const std::string& dataset, const std::vector<std::int64_t>& shape, const std::vector<T>& data,
               Storage storage = Storage::deflated) {
        write(dataset, shape, data.data(), storage);
    }
    /// A dataset made now with its full shape and filled row by row (leading axis) by write_rows, or by
    /// write_box: for what is too large for memory.
    template <class T>
    void create(const std::string& dataset, const std::vector<std::int64_t>& shape,
                Storage storage = Storage::deflated);
    /// Rows of whole chunks, which threads can share, of about so many bytes: for write_rows.
    std::int64_t rows_of(const std::string& dataset, std::int64_t bytes);
    template <class T>
    void write_rows(const std::string& dataset, std::int64_t first, std::int64_t count, const T* data);
    template <class T>
    void write_box(const std::string& dataset, const Box& box, const T* data);
    /// "name" of the root, or "group/or/dataset@name" of an object that exists.
    void attribute(const std::string& name, std::int64_t value);
    void attribute(const std::string& name, std::uint64_t value);
    void attribute(const std::string& name, double value);
    void attribute(const std::string& name, const std::string& value);

    /// Completes the temporary and flushes it to disk; commit() then only renames. For outputs that must
    /// appear together: finish all, then commit all. Nothing may be written afterwards. A checksum of the
    /// whole file stands behind its end, see io/hdf5/seal.hpp.
    void finish();
    /// Final name gets the complete file (finished now where finish() was not called). Nothing may be written
    /// afterwards.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Throws now if `path` cannot be written later, before hours of work: InputError for a folder or a device,
/// EnvironmentError for a folder that is missing, not writable or full.
void check_writable(const std::string& path);

}  // namespace psflip
