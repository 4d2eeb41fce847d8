#include "io/hdf5/own_data.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "io/hdf5/hdf5_error.hpp"

namespace psflip {
namespace {

std::string missing_filter(hid_t creation) {
    const int filters = H5Pget_nfilters(creation);
    for (int i = 0; i < filters; ++i) {
        unsigned flags = 0, configuration = 0;
        std::size_t values = 0;
        char name[64] = "";
        const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values,
                                                   nullptr, sizeof name, name, &configuration);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
            return fmt::format(
                "is packed with the HDF5 filter {} '{}', which psflip does not have; write it with gzip or "
                "unpacked (h5repack -f GZIP=4)",
                filter, name);
    }
    return {};
}

std::string missing_chunks(hid_t dataset, hid_t creation, const std::vector<hsize_t>& extents) {
    std::vector<hsize_t> chunk(extents.size());
    H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    double chunks = 1.0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        chunks *= std::ceil(static_cast<double>(extents[axis]) / static_cast<double>(chunk[axis]));
    hsize_t written = 0;
    const Handle space(H5Dget_space(dataset), H5Sclose);
    if (H5Dget_num_chunks(dataset, space.get(), &written) < 0) take_hdf5_failure();
    if (static_cast<double>(written) >= chunks) return {};
    return fmt::format(
        "has only {} of its {:.0f} chunks: the others were never written; write all of its values, or make "
        "the file anew",
        written, chunks);
}

}  // namespace

std::string missing_data(hid_t dataset) {
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    if (layout == H5D_VIRTUAL) return "is virtual: its values lie in other datasets; copy them into this one";
    if (H5Pget_external_count(creation.get()) > 0)
        return "has its values in another file (external storage); copy them into this one";
    const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    const hssize_t elements = H5Sget_simple_extent_npoints(space.get());
    if (rank < 0 || elements <= 0) return {};
    if (std::string missing = missing_filter(creation.get()); !missing.empty()) return missing;
    if (layout == H5D_CHUNKED) {
        std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
        H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
        return missing_chunks(dataset, creation.get(), extents);
    }
    const auto bytes = static_cast<double>(elements) * static_cast<double>(H5Tget_size(type.get()));
    const auto stored = static_cast<double>(H5Dget_storage_size(dataset));
    if (stored >= bytes) return {};
    return fmt::format(
        "has {:.0f} of its {:.0f} bytes in the file: the others were never written; write all of its values, "
        "or make the file anew",
        stored, bytes);
}

}  // namespace psflip
