#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "io/file.hpp"

namespace psflip {

/// Holds the HDF5 types of a type in memory and in files: little-endian with equal width on every machine.
struct Hdf5Types {
    hid_t memory, file;
};
template <class T>
Hdf5Types types_of() {
    if constexpr (std::is_same_v<T, std::int8_t>)
        return {H5T_NATIVE_INT8, H5T_STD_I8LE};
    else if constexpr (std::is_same_v<T, std::uint8_t>)
        return {H5T_NATIVE_UINT8, H5T_STD_U8LE};
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return {H5T_NATIVE_INT32, H5T_STD_I32LE};
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return {H5T_NATIVE_UINT32, H5T_STD_U32LE};
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return {H5T_NATIVE_INT64, H5T_STD_I64LE};
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return {H5T_NATIVE_UINT64, H5T_STD_U64LE};
    else if constexpr (std::is_same_v<T, float>)
        return {H5T_NATIVE_FLOAT, H5T_IEEE_F32LE};
    else {
        static_assert(std::is_same_v<T, double>);
        return {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE};
    }
}

/// Returns the name of a type for messages: "int8", "uint64", "float64", "string", "enumeration", ...
std::string type_name(hid_t type);

/// Returns whether values of `stored` may be read as `wanted`: integers as integers of any width and as
/// float64, floats as floats of at least equal width. Values that do not fit are found while reading.
bool readable_as(hid_t stored, hid_t wanted);

/// Reads a string attribute of fixed or variable length, without padding. Returns false if HDF5 fails.
bool read_text(hid_t attribute, hid_t type, std::string& text);

/// Returns a shape as text, such as "(128, 3, 8, 8, 8)". A negative extent becomes "R" (any number).
std::string shape_text(const std::vector<std::int64_t>& shape);

/// Returns the number of elements. Errors: InputError for a negative extent or a product beyond 2^62.
std::int64_t element_count(const std::vector<std::int64_t>& shape);

/// Returns whether an array of this shape contains the box.
bool is_within(const Box& box, const std::vector<std::int64_t>& shape);

/// Returns chunk_extents (io/chunk_extents.hpp) of a non-empty dataset as numbers of HDF5.
std::vector<hsize_t> chunk_shape(const std::vector<std::int64_t>& shape, std::size_t element_size);

}  // namespace psflip
