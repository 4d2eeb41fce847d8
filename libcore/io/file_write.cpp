#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "base/error.hpp"
#include "base/version.hpp"
#include "io/file_impl.hpp"
#include "io/hdf5_error.hpp"
#include "io/hdf5_types.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

Handle create_hdf5(const AtomicFile& target) {
    silence_hdf5();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    H5Pset_file_locking(access.get(), true, true);
    H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
    Handle file(H5Fcreate(target.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
    if (!file.valid()) {
        const Hdf5Failure failure = take_hdf5_failure();
        if (failure.system_error != 0) throw_write_error(target.path(), failure.system_error);
        throw_write_error(target.path(), reason(failure));
    }
    return file;
}

/// Chunks, filters and checksum of a dataset.
Handle creation_list(const std::vector<std::int64_t>& shape, std::size_t element_size, Storage storage) {
    Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(list.get(), false);
    if (shape.empty() || element_count(shape) == 0) return list;
    const std::vector<hsize_t> chunk = chunk_shape(shape, element_size);
    H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
    if (storage == Storage::deflated) {
        H5Pset_shuffle(list.get());
        H5Pset_deflate(list.get(), 4);
    }
    H5Pset_fletcher32(list.get());
    return list;
}

}  // namespace

void OutputFile::Impl::require_open() const {
    if (!open) throw std::logic_error(target.path() + " is written after it was committed or given up");
}

hid_t OutputFile::Impl::checked(hid_t id) {
    if (id < 0) fail();
    return id;
}

void OutputFile::Impl::fail() {
    const Hdf5Failure failure = take_hdf5_failure();
    abandon();
    if (failure.system_error != 0) throw_write_error(target.path(), failure.system_error);
    throw_write_error(target.path(), reason(failure));
}

void OutputFile::Impl::abandon() noexcept {
    open = false;
    if (file.valid()) {
        // HDF5 must still write what it holds in memory before it can close; where the disk is full it would
        // keep the broken file until the process ends and fail again there. So its descriptor is pointed at
        // anonymous memory first.
        void* handle = nullptr;
        if (H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle) >= 0) {
            const int memory = memfd_create("psflip", MFD_CLOEXEC);
            if (memory >= 0) {
                dup2(memory, *static_cast<int*>(handle));
                ::close(memory);
            }
        }
        datasets.clear();
        file.reset();
        H5Eclear2(H5E_DEFAULT);
    }
    target.discard();
}

Handle OutputFile::Impl::make_dataset(const std::string& name, const std::vector<std::int64_t>& shape,
                                      hid_t type, std::size_t element_size, Storage storage) {
    require_open();
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const Handle space(
        checked(shape.empty() ? H5Screate(H5S_SCALAR)
                              : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr)),
        H5Sclose);
    const Handle creation = creation_list(shape, element_size, storage);
    const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(link.get(), 1);
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access.get(), 521, std::size_t{4} << 20, 1.0);
    return Handle(checked(H5Dcreate2(file.get(), name.c_str(), type, space.get(), link.get(), creation.get(),
                                     access.get())),
                  H5Dclose);
}

OutputFile::OutputFile(const std::string& path, const std::string& kind, const Provenance& provenance)
    : impl_(std::make_unique<Impl>(path)) {
    impl_->file = create_hdf5(impl_->target);
    impl_->open = true;
    attribute(schema::format, std::string(schema::format_name));
    attribute(schema::kind, kind);
    attribute(schema::format_version, std::int64_t{psflip::format_version});
    attribute(schema::physics_version, std::int64_t{psflip::physics_version});
    Handle(impl_->checked(
               H5Gcreate2(impl_->file.get(), schema::provenance, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
           H5Gclose);
    for (const auto& [name, text] : provenance_texts(provenance)) {
        attribute(fmt::format("{}@{}", schema::provenance, name), text);
    }
}

OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;

template <class T>
void OutputFile::write(const std::string& dataset, const std::vector<std::int64_t>& shape, const T* data,
                       Storage storage) {
    Handle made = impl_->make_dataset(dataset, shape, file_type<T>(), sizeof(T), storage);
    if (element_count(shape) > 0) {
        const herr_t status = H5Dwrite(made.get(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        const bool good = status >= 0 && H5Dflush(made.get()) >= 0;
        if (!good) {
            impl_->datasets.emplace(dataset, std::move(made));  // closed after the descriptor is redirected
            impl_->fail();
        }
    }
}

template <class T>
void OutputFile::create(const std::string& dataset, const std::vector<std::int64_t>& shape, Storage storage) {
    impl_->datasets[dataset] = impl_->make_dataset(dataset, shape, file_type<T>(), sizeof(T), storage);
}

template <class T>
void OutputFile::write_rows(const std::string& dataset, std::int64_t first, std::int64_t count,
                            const T* data) {
    impl_->require_open();
    const auto found = impl_->datasets.find(dataset);
    if (found == impl_->datasets.end())
        throw std::logic_error("write_rows: " + dataset + " was not made by create");
    const hid_t id = found->second.get();
    const Handle space(impl_->checked(H5Dget_space(id)), H5Sclose);
    std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
    if (extents.empty()) throw std::logic_error("write_rows: " + dataset + " has no axis");
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    if (first < 0 || count < 0 || first > static_cast<std::int64_t>(extents[0]) - count) {
        throw std::logic_error(fmt::format("write_rows: {} has {} rows, not {} to {}", dataset, extents[0],
                                           first, first + count));
    }
    std::vector<hsize_t> start(extents.size(), 0);
    start[0] = static_cast<hsize_t>(first);
    extents[0] = static_cast<hsize_t>(count);
    const Handle memory(
        impl_->checked(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr)),
        H5Sclose);
    if (H5Sget_simple_extent_npoints(memory.get()) == 0) return;
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr);
    impl_->check(H5Dwrite(id, memory_type<T>(), memory.get(), space.get(), H5P_DEFAULT, data));
}

void OutputFile::finish() {
    attribute(std::string(schema::provenance) + "@end_time", utc_now());
    impl_->check(H5Fflush(impl_->file.get(), H5F_SCOPE_GLOBAL));
    for (auto& [name, dataset] : impl_->datasets) {
        if (!dataset.reset()) impl_->fail();
    }
    impl_->datasets.clear();
    if (!impl_->file.reset()) impl_->fail();
    impl_->open = false;
    impl_->target.flush();
}

void OutputFile::commit() {
    if (impl_->open) finish();
    impl_->target.commit();
}

#define PSFLIP_WRITE(T)                                                                                 \
    template void OutputFile::write<T>(const std::string&, const std::vector<std::int64_t>&, const T*,  \
                                       Storage);                                                        \
    template void OutputFile::create<T>(const std::string&, const std::vector<std::int64_t>&, Storage); \
    template void OutputFile::write_rows<T>(const std::string&, std::int64_t, std::int64_t, const T*);
PSFLIP_WRITE(std::int8_t)
PSFLIP_WRITE(std::uint8_t)
PSFLIP_WRITE(std::int32_t)
PSFLIP_WRITE(std::uint32_t)
PSFLIP_WRITE(std::int64_t)
PSFLIP_WRITE(std::uint64_t)
PSFLIP_WRITE(float)
PSFLIP_WRITE(double)
#undef PSFLIP_WRITE

}  // namespace psflip
