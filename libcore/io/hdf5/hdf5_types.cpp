#include "io/hdf5/hdf5_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "io/chunk_extents.hpp"
#include "io/hdf5/handle.hpp"

namespace psflip {

std::string type_name(hid_t type) {
    const std::size_t bits = 8 * H5Tget_size(type);
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
        case H5T_FLOAT:
            return fmt::format("float{}", bits);
        case H5T_STRING:
            return "string";
        case H5T_ENUM:
            return "enumeration (h5py: bool)";
        case H5T_COMPOUND:
            return "compound";
        case H5T_ARRAY:
            return "array";
        case H5T_VLEN:
            return "variable-length";
        case H5T_REFERENCE:
            return "reference";
        default:
            return "unknown type";
    }
}

bool readable_as(hid_t stored, hid_t wanted) {
    const H5T_class_t from = H5Tget_class(stored), to = H5Tget_class(wanted);
    if (from == H5T_INTEGER)
        return to == H5T_INTEGER || (to == H5T_FLOAT && H5Tget_size(wanted) == sizeof(double));
    return from == H5T_FLOAT && to == H5T_FLOAT && H5Tget_size(stored) <= H5Tget_size(wanted);
}

bool read_text(hid_t attribute, hid_t type, std::string& text) {
    if (H5Tis_variable_str(type) > 0) {
        char* pointer = nullptr;
        const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(memory.get(), H5T_VARIABLE);
        H5Tset_cset(memory.get(), H5Tget_cset(type));
        if (H5Aread(attribute, memory.get(), &pointer) < 0) return false;
        text = pointer != nullptr ? pointer : "";
        H5free_memory(pointer);
        return true;
    }
    text.assign(H5Tget_size(type), '\0');
    if (H5Aread(attribute, type, text.data()) < 0) return false;
    text.resize(std::strlen(text.c_str()));
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) text.erase(text.find_last_not_of(' ') + 1);
    return true;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis > 0) text += ", ";
        text += shape[axis] < 0 ? "R" : std::to_string(shape[axis]);
    }
    return text + ")";
}

std::int64_t element_count(const std::vector<std::int64_t>& shape) {
    constexpr std::int64_t limit = std::int64_t{1} << 62;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0 || (extent > 0 && count > limit / extent)) {
            throw InputError("array shape " + shape_text(shape) + " is not possible");
        }
        count *= extent;
    }
    return count;
}

bool is_within(const Box& box, const std::vector<std::int64_t>& shape) {
    bool within = box.first.size() == shape.size() && box.count.size() == shape.size();
    for (std::size_t axis = 0; within && axis < shape.size(); ++axis)
        within =
            box.first[axis] >= 0 && box.count[axis] >= 0 && box.first[axis] <= shape[axis] - box.count[axis];
    return within;
}

std::vector<hsize_t> chunk_shape(const std::vector<std::int64_t>& shape, std::size_t element_size) {
    constexpr hsize_t limit = hsize_t{1} << 20;
    std::vector<hsize_t> chunk(shape.begin(), shape.end());
    hsize_t bytes = static_cast<hsize_t>(element_count(shape)) * element_size;
    for (hsize_t& extent : chunk) {
        if (bytes <= limit) break;
        const hsize_t row_bytes = bytes / extent;
        const hsize_t most = std::clamp<hsize_t>(limit / row_bytes, 1, extent);
        const hsize_t pieces = (extent + most - 1) / most;
        extent = (extent + pieces - 1) / pieces;
        bytes = row_bytes * extent;
    }
    return chunk;
}

std::vector<std::int64_t> chunk_extents(const std::vector<std::int64_t>& extents, std::size_t element_bytes) {
    const std::vector<hsize_t> chunk = chunk_shape(extents, element_bytes);
    return {chunk.begin(), chunk.end()};
}

}  // namespace psflip
