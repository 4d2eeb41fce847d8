#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/version.hpp"
#include "io/file_doc.hpp"
#include "io/hdf5/chunk_transfer.hpp"
#include "io/hdf5/file_impl.hpp"
#include "io/hdf5/hdf5_error.hpp"
#include "io/hdf5/hdf5_types.hpp"
#include "io/hdf5/seal.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

hid_t create_hdf5(const std::string& name, Disk& disk) {
    silence_hdf5();
    const Handle access = disk_access_list(disk, name);
    // Since HDF5 1.10, formats also have checksums of metadata. They cost no time.
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
    // The header of the root group holds up to 64 attributes, which HDF5 reads at once.
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    constexpr unsigned max_attributes = 64, links = 32, name_length = 32;
    H5Pset_attr_phase_change(creation.get(), max_attributes, max_attributes / 2);
    H5Pset_est_link_info(creation.get(), links, name_length);
    return H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get());
}

/// Sets chunks, filters and checksum of a dataset.
Handle creation_list(const std::vector<std::int64_t>& shape, std::size_t element_size, Storage storage) {
    Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(list.get(), false);
    if (shape.empty() || element_count(shape) == 0) return list;
    const std::vector<hsize_t> chunk = chunk_shape(shape, element_size);
    H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
    if (storage == Storage::deflated) {
        H5Pset_shuffle(list.get());
        H5Pset_deflate(list.get(), 1);  // level for partial chunks, which HDF5 deflates itself
    }
    H5Pset_fletcher32(list.get());
    return list;
}

}  // namespace

void OutputFile::Impl::require_open() const {
    if (!open) throw std::logic_error(target.path() + " is written after it was committed or given up");
}

void OutputFile::Impl::check(hid_t result) {
    if (result < 0 || disk.error != 0) fail();
}

Handle OutputFile::Impl::hold(hid_t id, Handle::Closer closer) {
    Handle handle(id, closer);
    check(id);
    return handle;
}

void OutputFile::Impl::fail() {
    const Hdf5Failure failure = take_hdf5_failure();
    const int error = disk.error;
    abandon();
    if (error != 0) throw_write_error(target.path(), error);
    throw_write_error(target.path(), reason(failure));
}

void OutputFile::Impl::abandon() noexcept {
    open = false;
    if (disk.error == 0) disk.error = ECANCELED;  // HDF5 then closes without writing
    datasets.clear();
    file.reset();
    H5Eclear2(H5E_DEFAULT);
    disk.kept.clear();
    target.discard();
}

Handle OutputFile::Impl::make_dataset(const std::string& name, const std::vector<std::int64_t>& shape,
                                      hid_t type, std::size_t element_size, Storage storage) {
    require_open();
    const DatasetInfo info = table(name);
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const int rank = static_cast<int>(extents.size());
    const Handle space =
        hold(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extents.data(), nullptr), H5Sclose);
    const Handle creation = creation_list(shape, element_size, storage);
    const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(link.get(), 1);
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access.get(), 521, std::size_t{4} << 20, 1.0);
    Handle dataset = hold(
        H5Dcreate2(file.get(), name.c_str(), type, space.get(), link.get(), creation.get(), access.get()),
        H5Dclose);
    add_info(dataset.get(), info);
    document_groups(name);
    return dataset;
}

void OutputFile::Impl::document_groups(const std::string& dataset) {
    for (std::size_t end = dataset.find('/', 1); end != std::string::npos; end = dataset.find('/', end + 1)) {
        const std::string path = dataset.substr(0, end), text = group_doc(path);
        if (!text.empty() && documented.insert(path).second) {
            const Handle group = hold(H5Gopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Gclose);
            add_text(group.get(), schema::doc, text);
        }
    }
}

OutputFile::OutputFile(const std::string& path, const std::string& kind, const Provenance& provenance,
                       DatasetTable table, int threads)
    : impl_(std::make_unique<Impl>(path, std::move(table), threads)) {
    impl_->file = impl_->hold(create_hdf5(impl_->target.temporary(), impl_->disk), H5Fclose);
    impl_->open = true;
    attribute(schema::format, std::string(schema::format_name));
    attribute(schema::kind, kind);
    attribute(schema::format_version, std::int64_t{psflip::format_version});
    attribute(schema::physics_version, std::int64_t{psflip::physics_version});
    attribute(schema::analysis_version, std::int64_t{psflip::analysis_version});
    attribute(schema::sealed, std::int64_t{1});
    if (const std::string doc = file_doc(kind); !doc.empty()) attribute(schema::doc, doc);
    impl_->hold(H5Gcreate2(impl_->file.get(), schema::provenance, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
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
    Handle made = impl_->make_dataset(dataset, shape, types_of<T>().file, sizeof(T), storage);
    if (element_count(shape) > 0) {
        impl_->write(made.get(), types_of<T>().memory, {std::vector<std::int64_t>(shape.size(), 0), shape},
                     data);
    }
    impl_->check(made.reset() ? 0 : -1);
}

void OutputFile::write_all(const std::vector<Named>& arrays) {
    const Hdf5Types types = types_of<double>();
    std::vector<Handle> made;
    std::vector<ChunkedDataset::Part> parts;
    std::size_t bytes = 0;
    for (const Named& array : arrays) {
        made.push_back(
            impl_->make_dataset(array.dataset, array.shape, types.file, sizeof(double), Storage::deflated));
        if (const auto chunked = ChunkedDataset::of(made.back().get(), types.memory)) {
            parts.push_back({*chunked, {0, element_count(array.shape)}, array.data});
            bytes += static_cast<std::size_t>(element_count(array.shape)) * sizeof(double);
        } else if (element_count(array.shape) > 0) {
            impl_->write(made.back().get(), types.memory,
                         {std::vector<std::int64_t>(array.shape.size(), 0), array.shape}, array.data);
        }
    }
    if (!parts.empty())
        ChunkedDataset::write_all(parts, impl_->threads.for_bytes(bytes),
                                  [this](hid_t result) { impl_->check(result); });
    for (Handle& dataset : made) impl_->check(dataset.reset() ? 0 : -1);
}

std::vector<std::int64_t> OutputFile::Impl::extents_of(const std::string& dataset) {
    require_open();
    const auto found = datasets.find(dataset);
    if (found == datasets.end()) throw std::logic_error(dataset + " was not made by create");
    const Handle space = hold(H5Dget_space(found->second.get()), H5Sclose);
    std::vector<hsize_t> extents(
        static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    return {extents.begin(), extents.end()};
}

void OutputFile::Impl::write(hid_t dataset, hid_t type, const Box& box, const void* data) {
    if (const auto chunked = ChunkedDataset::of(dataset, type)) {
        const auto range = chunked->grid().range_of(box);
        if (range && chunked->is_whole_chunks(*range))
            return chunked->write(
                *range, data, threads.for_bytes(static_cast<std::size_t>(range->size()) * H5Tget_size(type)),
                [this](hid_t result) { check(result); });
    }
    const Handle space = hold(H5Dget_space(dataset), H5Sclose);
    const std::vector<hsize_t> start(box.first.begin(), box.first.end()),
        count(box.count.begin(), box.count.end());
    const int rank = static_cast<int>(count.size());
    const Handle memory =
        hold(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
    if (rank > 0)
        H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    check(H5Dwrite(dataset, type, memory.get(), space.get(), H5P_DEFAULT, data));
}

template <class T>
void OutputFile::create(const std::string& dataset, const std::vector<std::int64_t>& shape, Storage storage) {
    impl_->datasets[dataset] = impl_->make_dataset(dataset, shape, types_of<T>().file, sizeof(T), storage);
}

std::int64_t OutputFile::rows_of(const std::string& dataset, std::int64_t bytes) {
    const std::vector<std::int64_t> extents = impl_->extents_of(dataset);
    const Handle type = impl_->hold(H5Dget_type(impl_->datasets.at(dataset).get()), H5Tclose);
    const auto width = static_cast<std::int64_t>(H5Tget_size(type.get()));
    const auto rows = static_cast<std::int64_t>(chunk_shape(extents, H5Tget_size(type.get())).at(0));
    const std::int64_t row_bytes = element_count(extents) * width / extents.at(0);
    return std::max<std::int64_t>(1, bytes / (rows * row_bytes)) * rows;
}

template <class T>
void OutputFile::write_rows(const std::string& dataset, std::int64_t first, std::int64_t count,
                            const T* data) {
    Box box{{}, impl_->extents_of(dataset)};
    if (box.count.empty()) throw std::logic_error("write_rows: " + dataset + " has no axis");
    box.first.assign(box.count.size(), 0);
    box.first[0] = first;
    box.count[0] = count;
    write_box(dataset, box, data);
}

template <class T>
void OutputFile::write_box(const std::string& dataset, const Box& box, const T* data) {
    const std::vector<std::int64_t> extents = impl_->extents_of(dataset);
    if (!is_within(box, extents))
        throw std::logic_error(fmt::format("write_box: {} of shape {} has no elements {} from {} on", dataset,
                                           shape_text(extents), shape_text(box.count),
                                           shape_text(box.first)));
    if (element_count(box.count) == 0) return;
    impl_->write(impl_->datasets.at(dataset).get(), types_of<T>().memory, box, data);
}

void OutputFile::finish() {
    attribute(std::string(schema::provenance) + "@end_time", utc_now());
    impl_->check(H5Fflush(impl_->file.get(), H5F_SCOPE_GLOBAL));
    impl_->datasets.clear();
    impl_->check(impl_->file.reset() ? 0 : -1);
    impl_->open = false;
    append_seal(impl_->disk);
    impl_->check(0);
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
    template void OutputFile::write_rows<T>(const std::string&, std::int64_t, std::int64_t, const T*);  \
    template void OutputFile::write_box<T>(const std::string&, const Box&, const T*);
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
