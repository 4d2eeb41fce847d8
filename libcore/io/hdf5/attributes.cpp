#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "io/hdf5/file_impl.hpp"
#include "io/hdf5/hdf5_error.hpp"
#include "io/hdf5/hdf5_types.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

std::string described(const AttributeName& name) {
    return name.object == "/" ? "root attribute " + name.name
                              : fmt::format("attribute {} of {}", name.name, name.object);
}

/// Reads one value of a numeric attribute as T. `wanted` names the type in messages.
template <class T, class Impl>
T read_number(const Impl& file, const std::string& label, hid_t attribute, const char* wanted) {
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    if (!readable_as(type.get(), types_of<T>().memory) || H5Sget_simple_extent_npoints(space.get()) != 1)
        file.fail(fmt::format("{} has type {} instead of one {}", label, type_name(type.get()), wanted));
    T value{};
    if (H5Aread(attribute, types_of<T>().memory, &value) < 0) file.fail_reading(label);
    return value;
}

/// Checks low <= value <= high. Errors: InputError.
template <class T, class Impl>
T within(const Impl& file, const std::string& label, T value, T low, T high) {
    if (!(value >= low && value <= high))
        file.fail(fmt::format("{} = {} is impossible: it must lie in {} to {}", label, value, low, high));
    return value;
}

/// Variable-length UTF-8: h5py returns it as str, and it may be longer than 64 KiB, unlike a string of fixed
/// length.
Handle text_type() {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

}  // namespace

AttributeName split_attribute(const std::string& name) {
    const std::size_t at = name.rfind('@');
    if (at == std::string::npos) return {"/", name};
    return {name.substr(0, at), name.substr(at + 1)};
}

Handle InputFile::Impl::attribute(const std::string& name) const {
    const AttributeName parts = split_attribute(name);
    if (!object_exists(file.get(), parts.object, path)) fail(fmt::format("{} is missing", parts.object));
    const htri_t exists =
        H5Aexists_by_name(file.get(), parts.object.c_str(), parts.name.c_str(), H5P_DEFAULT);
    if (exists < 0) fail_reading(described(parts));
    if (exists == 0)
        fail(fmt::format("{} is missing; {} {} file needs it", described(parts), article(kind), kind));
    Handle opened(
        H5Aopen_by_name(file.get(), parts.object.c_str(), parts.name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    if (!opened.valid()) fail_reading(described(parts));
    return opened;
}

bool InputFile::has_attribute(const std::string& name) const {
    const AttributeName parts = split_attribute(name);
    if (!object_exists(impl_->file.get(), parts.object, impl_->path)) return false;
    return H5Aexists_by_name(impl_->file.get(), parts.object.c_str(), parts.name.c_str(), H5P_DEFAULT) > 0;
}

std::int64_t InputFile::integer_attribute(const std::string& name, std::int64_t low,
                                          std::int64_t high) const {
    const Handle attribute = impl_->attribute(name);
    const std::string label = described(split_attribute(name));
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    if (H5Tget_class(type.get()) == H5T_INTEGER && H5Tget_sign(type.get()) == H5T_SGN_NONE) {
        const auto value = read_number<std::uint64_t>(*impl_, label, attribute.get(), "integer");
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            impl_->fail(fmt::format("{} = {} is too large", label, value));
        }
        return within(*impl_, label, static_cast<std::int64_t>(value), low, high);
    }
    return within(*impl_, label, read_number<std::int64_t>(*impl_, label, attribute.get(), "integer"), low,
                  high);
}

std::uint64_t InputFile::unsigned_attribute(const std::string& name) const {
    const Handle attribute = impl_->attribute(name);
    const std::string label = described(split_attribute(name));
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    if (H5Tget_class(type.get()) == H5T_INTEGER && H5Tget_sign(type.get()) == H5T_SGN_NONE)
        return read_number<std::uint64_t>(*impl_, label, attribute.get(), "integer");
    const auto value = read_number<std::int64_t>(*impl_, label, attribute.get(), "integer");
    if (value < 0) impl_->fail(fmt::format("{} = {} is negative", label, value));
    return static_cast<std::uint64_t>(value);
}

double InputFile::real_attribute(const std::string& name, double low, double high) const {
    const std::string label = described(split_attribute(name));
    return within(*impl_, label,
                  read_number<double>(*impl_, label, impl_->attribute(name).get(), "real number"), low, high);
}

std::string InputFile::text_attribute(const std::string& name) const {
    const Handle opened = impl_->attribute(name);
    const std::string label = described(split_attribute(name));
    const Handle type(H5Aget_type(opened.get()), H5Tclose);
    const Handle space(H5Aget_space(opened.get()), H5Sclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) {
        impl_->fail(fmt::format("{} has type {} instead of text", label, type_name(type.get())));
    }
    std::string text;
    if (!read_text(opened.get(), type.get(), text)) impl_->fail_reading(label);
    return text;
}

void OutputFile::Impl::set_attribute(const std::string& name, hid_t stored, hid_t memory, const void* value) {
    require_open();
    const AttributeName parts = split_attribute(name);
    if (!object_exists(file.get(), parts.object, target.path())) {
        throw std::logic_error(fmt::format("{}: {} must exist before its attribute", target.path(), name));
    }
    const char* object = parts.object.c_str();
    if (H5Aexists_by_name(file.get(), object, parts.name.c_str(), H5P_DEFAULT) > 0) {
        check(H5Adelete_by_name(file.get(), object, parts.name.c_str(), H5P_DEFAULT));
    }
    const Handle opened = hold(H5Oopen(file.get(), object, H5P_DEFAULT), H5Oclose);
    add_attribute(opened.get(), parts.name.c_str(), stored, memory, value);
}

void OutputFile::Impl::add_attribute(hid_t object, const char* name, hid_t stored, hid_t memory,
                                     const void* value) {
    const Handle space = hold(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute =
        hold(H5Acreate2(object, name, stored, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(attribute.get(), memory, value));
}

void OutputFile::Impl::add_text(hid_t object, const char* name, const std::string& text) {
    const Handle type = text_type();
    const char* pointer = text.c_str();
    add_attribute(object, name, type.get(), type.get(), &pointer);
}

void OutputFile::Impl::add_info(hid_t dataset, const DatasetInfo& info) {
    add_text(dataset, schema::unit, info.unit);
    add_text(dataset, schema::doc, info.doc);
    add_text(dataset, schema::axes, info.axes);
}

void OutputFile::attribute(const std::string& name, std::int64_t value) {
    impl_->set_attribute(name, types_of<std::int64_t>().file, types_of<std::int64_t>().memory, &value);
}

void OutputFile::attribute(const std::string& name, std::uint64_t value) {
    impl_->set_attribute(name, types_of<std::uint64_t>().file, types_of<std::uint64_t>().memory, &value);
}

void OutputFile::attribute(const std::string& name, double value) {
    impl_->set_attribute(name, types_of<double>().file, types_of<double>().memory, &value);
}

void OutputFile::attribute(const std::string& name, const std::string& value) {
    const Handle type = text_type();
    const char* pointer = value.c_str();
    impl_->set_attribute(name, type.get(), type.get(), &pointer);
}

}  // namespace psflip
