#include <limits>

#include "io/hdf5/file_impl.hpp"
#include "io/schema.hpp"

namespace psflip {

InputFile::InputFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::optional<FileLabel> InputFile::label(const std::string& path) {
    auto impl = std::make_unique<Impl>(path, schema::format_name, 1);
    impl->open();
    const htri_t there = H5Aexists(impl->file.get(), schema::format);
    if (there < 0) impl->fail_reading("the root group");
    const InputFile file(std::move(impl));
    if (there == 0 || file.text_attribute(schema::format) != schema::format_name) return std::nullopt;
    using Any = std::numeric_limits<std::int64_t>;
    const auto version = [&](const char* name) {
        return file.integer_attribute(name, Any::min(), Any::max());
    };
    FileLabel label{file.text_attribute(schema::kind), version(schema::format_version), {}};
    if (file.has_attribute(schema::physics_version)) label.physics_version = version(schema::physics_version);
    return label;
}

}  // namespace psflip
