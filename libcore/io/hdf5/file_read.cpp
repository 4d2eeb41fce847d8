#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "base/regular_file.hpp"
#include "base/version.hpp"
#include "io/hdf5/chunk_transfer.hpp"
#include "io/hdf5/file_impl.hpp"
#include "io/hdf5/hdf5_types.hpp"
#include "io/hdf5/own_data.hpp"
#include "io/hdf5/read_failure.hpp"
#include "io/hdf5/trial_read.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

/// Callback of H5Pset_type_conv_cb: a value that does not fit the type in memory stops the read.
H5T_conv_ret_t refuse_conversion(H5T_conv_except_t /*what*/, hid_t, hid_t, void*, void*, void* refused) {
    *static_cast<bool*>(refused) = true;
    return H5T_CONV_ABORT;
}

/// HDF5 searches for its signature at the bytes 0, 512, 1024, 2048, ...
bool has_hdf5_signature(Disk& disk) {
    const std::string signature = "\x89HDF\r\n\x1a\n";
    std::string found(signature.size(), '\0');
    const std::uint64_t size = disk.size();
    for (std::uint64_t at = 0; at < size; at = at == 0 ? 512 : 2 * at) {
        disk.read(at, found.data(), found.size());
        if (found == signature) return true;
    }
    return false;
}

std::vector<hsize_t> to_hdf5(const std::vector<std::int64_t>& shape) {
    return {shape.begin(), shape.end()};
}

bool is_external_link(hid_t file, const std::string& name) {
#if H5_VERSION_GE(1, 12, 0)
    H5L_info2_t info{};
    const herr_t found = H5Lget_info2(file, name.c_str(), &info, H5P_DEFAULT);
#else
    H5L_info_t info{};
    const herr_t found = H5Lget_info(file, name.c_str(), &info, H5P_DEFAULT);
#endif
    return found >= 0 && info.type != H5L_TYPE_HARD && info.type != H5L_TYPE_SOFT;
}

}  // namespace

const char* article(const std::string& kind) {
    return !kind.empty() && std::string("aeiou").find(kind[0]) != std::string::npos ? "an" : "a";
}

bool object_exists(hid_t file, const std::string& name, const std::string& path) {
    for (std::size_t slash = name.find('/', 1);; slash = name.find('/', slash + 1)) {
        const std::string part = name.substr(0, slash);
        const bool root = part == "/" || part.empty();
        if (!root && H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) {
            H5Eclear2(H5E_DEFAULT);
            return false;
        }
        if (!root && is_external_link(file, part))
            throw InputError(fmt::format(
                "{}: {} is a link into another file; copy what it names into this file", path, part));
        if (slash == std::string::npos) return true;
    }
}

InputFile::Impl::Impl(const std::string& path, const std::string& kind, int threads)
    : path(path), kind(kind), threads(threads) {
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error)
        fail("there is no such file; check the path, or make the file first");
    disk.descriptor = open_regular_file(path, "the " + kind + " file");
}

InputFile::Impl::~Impl() {
    datasets.clear();
    file.reset();
    ::close(disk.descriptor);
}

void InputFile::Impl::check_bytes() {
    if (disk.size() == 0) fail("the file is empty; remove it and make it anew");
    bytes = check_seal(disk, path);
    if (!has_hdf5_signature(disk)) {
        fail(
            "this is not an HDF5 file; psflip files are made by gen-disorder, thermalize, pt-run, measure "
            "and reduce-disorder, or with h5py");
    }
    if (!bytes.sealed) trial_read(disk, path);
}

void InputFile::Impl::open() {
    silence_hdf5();
    check_bytes();
    const Handle access = disk_access_list(disk, path);
    H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
    file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (file.valid()) return;
    fail_with(opening_failure(take_hdf5_failure(), disk));
}

void InputFile::Impl::fail(const std::string& what) const {
    throw InputError(path + ": " + what);
}

void InputFile::Impl::fail_with(const ReadFailure& failure) const {
    if (failure.memory) throw EnvironmentError(path + ": " + failure.text);
    fail(failure.text);
}

void InputFile::Impl::fail_reading(const std::string& object) const {
    fail_with(reading_failure(object, take_hdf5_failure(), disk));
}

hid_t InputFile::Impl::dataset(const std::string& name) {
    const auto found = datasets.find(name);
    if (found != datasets.end()) return found->second.get();
    if (!object_exists(file.get(), name, path)) {
        fail(fmt::format("dataset {} is missing; {} {} file needs it", name, article(kind), kind));
    }
    Handle opened(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!opened.valid()) fail_reading("dataset " + name);
    if (const std::string missing = missing_data(opened.get()); !missing.empty())
        fail(fmt::format("dataset {} {}", name, missing));
    return datasets.emplace(name, std::move(opened)).first->second.get();
}

Array<double> InputFile::Impl::to_double(const Array<std::int64_t>& integers, const std::string& name) const {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    Array<double> array{integers.shape, std::vector<double>(integers.data.size())};
    for (std::size_t i = 0; i < integers.data.size(); ++i) {
        const std::int64_t value = integers.data[i];
        if (value > exact || value < -exact)
            fail(fmt::format("dataset {} holds values that do not fit in float64", name));
        array.data[i] = static_cast<double>(value);
    }
    return array;
}

InputFile::InputFile(const std::string& path, const std::string& kind, int threads)
    : impl_(std::make_unique<Impl>(path, kind, threads)) {
    impl_->open();
    if (!impl_->bytes.sealed && has_attribute(schema::sealed))
        impl_->fail(
            fmt::format("the file is damaged: the checksum that psflip wrote at its end is missing, cut "
                        "short or not at the end; copy the file again or make it anew (if you changed it on "
                        "purpose, remove its root attribute {})",
                        schema::sealed));
    check_root();
}

void InputFile::check_root() const {
    const std::string& kind = impl_->kind;
    if (!has_attribute(schema::format) || text_attribute(schema::format) != schema::format_name) {
        impl_->fail(fmt::format(
            "this is not a psflip file: root attribute format = \"{}\" is missing or different; {} {} file "
            "has root attributes format = \"{}\", kind = \"{}\" and format_version = {}",
            schema::format_name, article(kind), kind, schema::format_name, kind, psflip::format_version));
    }
    const std::string found = text_attribute(schema::kind);
    if (found != kind)
        impl_->fail(fmt::format("this is a file of kind \"{}\", but {} \"{}\" file is needed here", found,
                                article(kind), kind));
    const auto any_integer = [this](const char* name) {
        return integer_attribute(name, std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max());
    };
    const std::int64_t layout = any_integer(schema::format_version);
    if (layout != psflip::format_version) {
        impl_->fail(fmt::format(
            "format_version is {}, but this psflip reads {}; make the file anew, or use the psflip "
            "version that made it",
            layout, psflip::format_version));
    }
    if (!has_attribute(schema::physics_version)) return;
    const std::int64_t physics = any_integer(schema::physics_version);
    if (physics != psflip::physics_version) {
        impl_->fail(
            fmt::format("physics_version is {}, but this psflip has {}, which would not continue the numbers "
                        "of the file; make the file anew, or use the psflip version that made it",
                        physics, psflip::physics_version));
    }
}

InputFile::~InputFile() = default;
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;

const std::string& InputFile::path() const {
    return impl_->path;
}

bool InputFile::has(const std::string& name) const {
    return object_exists(impl_->file.get(), name, impl_->path);
}

std::vector<std::int64_t> InputFile::shape(const std::string& dataset) const {
    return impl_->extents_of(dataset);
}

std::vector<std::int64_t> InputFile::Impl::extents_of(const std::string& name) {
    const Handle space(H5Dget_space(dataset(name)), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank < 0) fail_reading("dataset " + name);
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) fail("dataset " + name + " is empty");
    return {extents.begin(), extents.end()};
}

void InputFile::require_shape(const std::string& dataset, const std::vector<std::int64_t>& wanted) const {
    const std::vector<std::int64_t> found = shape(dataset);
    bool equal = found.size() == wanted.size();
    for (std::size_t axis = 0; equal && axis < wanted.size(); ++axis) {
        equal = wanted[axis] < 0 || found[axis] == wanted[axis];
    }
    if (!equal) {
        impl_->fail(fmt::format("dataset {} has shape {} instead of {}", dataset, shape_text(found),
                                shape_text(wanted)));
    }
}

template <class T>
Array<T> InputFile::read(const std::string& dataset) const {
    const std::vector<std::int64_t> extents = shape(dataset);
    return read_rows<T>(dataset, 0, extents.empty() ? 1 : extents[0]);
}

template <class T>
Array<T> InputFile::read_rows(const std::string& dataset, std::int64_t first, std::int64_t count) const {
    Box box{{}, shape(dataset)};
    box.first.assign(box.count.size(), 0);
    const std::int64_t rows = box.count.empty() ? 1 : box.count[0];
    if (first < 0 || count < 0 || first > rows - count) {
        impl_->fail(fmt::format("dataset {} has {} rows, but {} rows from number {} on are needed", dataset,
                                rows, count, first));
    }
    if (!box.count.empty()) {
        box.first[0] = first;
        box.count[0] = count;
    }
    return read_box<T>(dataset, box);
}

Handle InputFile::Impl::stored_type(const std::string& name, hid_t wanted, const Box& box) {
    Handle stored(H5Dget_type(dataset(name)), H5Tclose);
    if (!readable_as(stored.get(), wanted))
        fail(fmt::format("dataset {} has type {} instead of {}", name, type_name(stored.get()),
                         type_name(wanted)));
    if (const auto extents = extents_of(name); !is_within(box, extents))
        fail(fmt::format("dataset {} of shape {} has no elements {} from {} on", name, shape_text(extents),
                         shape_text(box.count), shape_text(box.first)));
    return stored;
}

template <class T>
void InputFile::read_box_to(const std::string& dataset, const Box& box, T* to) const {
    const Handle stored = impl_->stored_type(dataset, types_of<T>().memory, box);
    if constexpr (std::is_same_v<T, double>) {
        if (H5Tget_class(stored.get()) == H5T_INTEGER) {
            const Array<double> array = impl_->to_double(read_box<std::int64_t>(dataset, box), dataset);
            std::copy(array.data.begin(), array.data.end(), to);
            return;
        }
    }
    if (element_count(box.count) > 0)
        impl_->read(impl_->dataset(dataset), dataset, types_of<T>().memory, box, to);
}

template <class T>
Array<T> InputFile::read_box(const std::string& dataset, const Box& box) const {
    impl_->stored_type(dataset, types_of<T>().memory, box);
    Array<T> array{box.count, {}};
    try {
        const auto size = static_cast<std::size_t>(element_count(array.shape));
        array.data = large_zeros<T>(size, impl_->threads.for_bytes(size * sizeof(T)));
    } catch (const std::exception&) {
        throw EnvironmentError(fmt::format("{}: there is not enough memory to read dataset {} of shape {}",
                                           path(), dataset, shape_text(array.shape)));
    }
    read_box_to(dataset, box, array.data.data());
    return array;
}

bool InputFile::Impl::read_by_chunks(hid_t id, hid_t type, const Box& box, void* to) {
    constexpr std::int64_t fewest = 4;  // HDF5 caches chunks that are read in parts
    const auto chunked = ChunkedDataset::of(id, type);
    if (!chunked) return false;
    const auto range = chunked->grid().range_of(box);
    if (!range ||
        (!chunked->is_whole_chunks(*range) && range->size() < fewest * chunked->grid().chunk_elements()))
        return false;
    return chunked->read(*range, to,
                         threads.for_bytes(static_cast<std::size_t>(range->size()) * H5Tget_size(type)));
}

void InputFile::Impl::read(hid_t id, const std::string& name, hid_t type, const Box& box, void* to) {
    if (read_by_chunks(id, type, box, to)) return;
    const std::vector<hsize_t> first = to_hdf5(box.first), count = to_hdf5(box.count);
    const Handle space(H5Dget_space(id), H5Sclose);
    const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    if (H5Sget_simple_extent_npoints(space.get()) != H5Sget_simple_extent_npoints(memory.get()))
        H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
    bool refused = false;
    const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    H5Pset_type_conv_cb(transfer.get(), refuse_conversion, &refused);
    if (H5Dread(id, type, memory.get(), space.get(), transfer.get(), to) >= 0) return;
    if (!refused) fail_reading("dataset " + name);
    take_hdf5_failure();
    fail(fmt::format("dataset {} holds values that do not fit in {}", name, type_name(type)));
}

const std::string& InputFile::content_hash() const {
    return impl_->bytes.hash;
}

#define PSFLIP_READ(T)                                                                               \
    template Array<T> InputFile::read<T>(const std::string&) const;                                  \
    template Array<T> InputFile::read_rows<T>(const std::string&, std::int64_t, std::int64_t) const; \
    template Array<T> InputFile::read_box<T>(const std::string&, const Box&) const;                  \
    template void InputFile::read_box_to<T>(const std::string&, const Box&, std::add_pointer_t<T>) const;
PSFLIP_READ(std::int8_t)
PSFLIP_READ(std::uint8_t)
PSFLIP_READ(std::int32_t)
PSFLIP_READ(std::uint32_t)
PSFLIP_READ(std::int64_t)
PSFLIP_READ(std::uint64_t)
PSFLIP_READ(float)
PSFLIP_READ(double)
#undef PSFLIP_READ

}  // namespace psflip
