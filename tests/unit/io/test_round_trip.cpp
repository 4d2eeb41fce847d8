#include <cmath>
#include <limits>
#include <numeric>

#include "base/version.hpp"
#include "io/file.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

template <class T>
std::vector<T> ramp(std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(static_cast<T>(i * 2654435761u) - static_cast<T>(i));
    values[0] = std::numeric_limits<T>::max();
    values[1] = std::numeric_limits<T>::lowest();
    return values;
}

}  // namespace

TEST_CASE_TEMPLATE("every type comes back as it was written, plain and deflated", T, std::int8_t,
                   std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double) {
    const Scratch scratch;
    const std::string path = scratch.path("file.h5");
    const std::vector<std::int64_t> shape{3, 5, 7};
    const std::vector<T> values = ramp<T>(105);
    OutputFile out(path, "run", {}, any_dataset);
    out.write("/plain", shape, values, Storage::plain);
    out.write("/a/b/deflated", shape, values);
    out.write("single", {1}, values.data());
    out.write("scalar", {}, values.data());
    out.write("empty", {0, 4}, std::vector<T>{});
    out.commit();

    const InputFile in(path, "run");
    for (const char* name : {"/plain", "/a/b/deflated", "plain"}) {
        const Array<T> read = in.read<T>(name);
        CHECK(read.shape == shape);
        CHECK(read.data == values);
    }
    CHECK(in.read<T>("single").data == std::vector<T>{values[0]});
    CHECK(in.read<T>("scalar").data == std::vector<T>{values[0]});
    CHECK(in.read<T>("empty").shape == std::vector<std::int64_t>{0, 4});
    const Array<T> rows = in.read_rows<T>("/a/b/deflated", 1, 2);
    CHECK(rows.shape == std::vector<std::int64_t>{2, 5, 7});
    CHECK(rows.data == std::vector<T>(values.begin() + 35, values.end()));
    CHECK(in.read_rows<T>("/plain", 3, 0).data.empty());
    CHECK(in.has("/a"));
    CHECK(in.has("a/b/deflated"));
    CHECK_FALSE(in.has("/a/c/deflated"));
}

TEST_CASE("datasets larger than a chunk come back, whole and row by row") {
    const Scratch scratch;
    const std::vector<std::int64_t> shape{37, 3,
                                          50021};  // 16.7 MB of int8*... in several chunks along two axes
    std::vector<std::int32_t> values(37 * 3 * 50021);
    std::iota(values.begin(), values.end(), -5);
    OutputFile out(scratch.path("file.h5"), "run", {}, any_dataset);
    out.create<std::int32_t>("/series/plain", shape, Storage::plain);
    out.create<std::int32_t>("/series/deflated", shape);
    const std::int64_t row = 3 * 50021;
    for (std::int64_t first = 0; first < 37; first += 5) {
        const std::int64_t count = std::min<std::int64_t>(5, 37 - first);
        out.write_rows("/series/plain", first, count, values.data() + first * row);
        out.write_rows("/series/deflated", first, count, values.data() + first * row);
    }
    out.write("/whole", shape, values);
    out.commit();
    const InputFile in(scratch.path("file.h5"), "run");
    for (const char* name : {"/series/plain", "/series/deflated", "/whole"})
        CHECK(in.read<std::int32_t>(name).data == values);
    const auto rows = in.read_rows<std::int32_t>("/series/deflated", 11, 3);
    CHECK(rows.data == std::vector<std::int32_t>(values.begin() + 11 * row, values.begin() + 14 * row));
}

TEST_CASE("boxes of an array, written and read") {
    const Scratch scratch;
    const std::string path = scratch.path("boxes.h5");
    OutputFile out(path, "run", {}, any_dataset);
    out.create<std::uint64_t>("/spins", {3, 4, 5}, Storage::plain);
    std::vector<std::uint64_t> values(60);
    std::iota(values.begin(), values.end(), 100u);
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; j += 2)
            out.write_box("/spins", {{i, j, 0}, {1, 2, 5}}, values.data() + 5 * (4 * i + j));
    CHECK_THROWS_AS(out.write_box("/spins", {{0, 3, 0}, {1, 2, 5}}, values.data()), std::logic_error);
    CHECK_THROWS_AS(out.write_box("/spins", {{0, 0}, {1, 2}}, values.data()), std::logic_error);
    out.commit();
    const InputFile in(path, "run");
    CHECK(in.read<std::uint64_t>("/spins").data == values);
    const auto part = in.read_box<std::uint64_t>("/spins", {{1, 2, 3}, {2, 1, 2}});
    CHECK(part.shape == std::vector<std::int64_t>{2, 1, 2});
    CHECK(part.data == std::vector<std::uint64_t>{133, 134, 153, 154});
    CHECK_THROWS_AS(in.read_box<std::uint64_t>("/spins", {{1, 2, 4}, {2, 1, 2}}), InputError);
}

TEST_CASE("narrow series with many rows") {
    const Scratch scratch;
    std::vector<double> values(100000);
    std::iota(values.begin(), values.end(), 0.5);
    OutputFile out(scratch.path("file.h5"), "run", {}, any_dataset);
    out.create<double>("/series", {100000});
    for (std::int64_t i = 0; i < 100000; i += 10) out.write_rows("/series", i, 10, values.data() + i);
    out.commit();
    CHECK(InputFile(scratch.path("file.h5"), "run").read<double>("/series").data == values);
}

TEST_CASE("integers of any width are read where the values fit") {
    const Scratch scratch;
    OutputFile out(scratch.path("file.h5"), "run", {}, any_dataset);
    out.write("wide", {3}, std::vector<std::int64_t>{1, -1, 127});
    out.write("large", {2}, std::vector<std::int64_t>{1, 128});
    out.write("huge", {1}, std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1});
    out.write("single", {1}, std::vector<float>{0.25f});
    out.write("double", {1}, std::vector<double>{1.0});
    out.commit();
    const InputFile in(scratch.path("file.h5"), "run");
    CHECK(in.read<std::int8_t>("wide").data == std::vector<std::int8_t>{1, -1, 127});
    CHECK(in.read<double>("wide").data == std::vector<double>{1.0, -1.0, 127.0});
    CHECK(in.read<double>("single").data == std::vector<double>{0.25});
    CHECK(contains(message_of<InputError>([&] { in.read<std::int8_t>("large"); }), "do not fit in int8"));
    CHECK(contains(message_of<InputError>([&] { in.read<std::uint64_t>("wide"); }), "do not fit in uint64"));
    CHECK(contains(message_of<InputError>([&] { in.read<double>("huge"); }), "do not fit in float64"));
    CHECK(contains(message_of<InputError>([&] { in.read<float>("double"); }),
                   "has type float64 instead of float32"));
    CHECK(contains(message_of<InputError>([&] { in.read<std::int8_t>("double"); }),
                   "has type float64 instead of int8"));
}

TEST_CASE("attributes of root, groups and datasets") {
    const Scratch scratch;
    const std::string path = scratch.path("file.h5");
    const std::string long_text(200000, 'x');
    OutputFile out(path, "state", {}, any_dataset);
    out.write("/group/data", {1}, std::vector<double>{1.0});
    out.attribute("integer", std::int64_t{-3});
    out.attribute("large", std::numeric_limits<std::uint64_t>::max());
    out.attribute("real", 0.1);
    out.attribute("nan", std::nan(""));
    out.attribute("text", "sigma = \u03c3");
    out.attribute("text", "second value wins \u03c3");
    out.attribute("empty", std::string());
    out.attribute("group@long", long_text);
    out.attribute("/group/data@unit", "J");
    out.commit();
    const InputFile in(path, "state");
    CHECK(in.integer_attribute("integer", -3, 4) == -3);
    CHECK(in.real_attribute("integer", -3, 4) == -3.0);
    CHECK(in.real_attribute("real", -3, 4) == 0.1);
    CHECK(in.text_attribute("text") == "second value wins \u03c3");
    CHECK(in.text_attribute("empty").empty());
    CHECK(in.text_attribute("/group@long") == long_text);
    CHECK(in.text_attribute("group/data@unit") == "J");
    CHECK(in.integer_attribute("format_version", -3, 4) == format_version);
    CHECK(in.integer_attribute("physics_version", -3, 4) == physics_version);
    CHECK(in.has_attribute("integer"));
    CHECK_FALSE(in.has_attribute("nothing"));
    CHECK_FALSE(in.has_attribute("no/group@nothing"));
    CHECK(contains(message_of<InputError>([&] { in.integer_attribute("nothing", -3, 4); }),
                   "root attribute nothing is missing"));
    CHECK(contains(message_of<InputError>([&] { in.integer_attribute("text", -3, 4); }),
                   "has type string instead of one integer"));
    CHECK(contains(message_of<InputError>([&] { in.integer_attribute("real", -3, 4); }),
                   "has type float64 instead of one integer"));
    CHECK(contains(message_of<InputError>([&] { in.integer_attribute("large", -3, 4); }), "too large"));
    CHECK(contains(message_of<InputError>([&] { in.integer_attribute("integer", -2, 4); }),
                   path + ": root attribute integer = -3 is impossible: it must lie in -2 to 4"));
    CHECK(contains(message_of<InputError>([&] { in.real_attribute("real", 0.2, 1.0); }),
                   "root attribute real = 0.1 is impossible: it must lie in 0.2 to 1"));
    CHECK(contains(message_of<InputError>([&] { in.real_attribute("nan", 0.2, 1.0); }), "nan = nan"));
    CHECK(contains(message_of<InputError>([&] { in.text_attribute("integer"); }),
                   "has type int64 instead of text"));
}

TEST_CASE("provenance is written as text attributes") {
    const Scratch scratch;
    const std::string path = scratch.path("file.h5");
    Provenance provenance;
    provenance.program = "pt-run";
    provenance.config_yaml = "seed: 1\n";
    provenance.input_hashes = {{"a.h5", "0123456789abcdef"}, {"b.h5", "fedcba9876543210"}};
    OutputFile(path, "run", provenance, any_dataset).commit();
    const InputFile in(path, "run");
    CHECK(in.text_attribute("provenance@program") == "pt-run");
    CHECK(in.text_attribute("provenance@config") == "seed: 1\n");
    CHECK(in.text_attribute("provenance@version") == version());
    CHECK(in.text_attribute("provenance@input_hashes") == "0123456789abcdef  a.h5\nfedcba9876543210  b.h5\n");
    CHECK_FALSE(in.text_attribute("provenance@host").empty());
    CHECK(in.text_attribute("provenance@hdf5_version").starts_with("1."));
    CHECK(in.text_attribute("provenance@end_time").size() == 20);
}

TEST_CASE("content_hash is XXH64 of the bytes") {
    const Scratch scratch;
    OutputFile(scratch.path("a.h5"), "run", {}, any_dataset).commit();
    write_bytes(scratch.path("b.h5"), file_bytes(scratch.path("a.h5")));
    const std::string hash = InputFile(scratch.path("a.h5"), "run").content_hash();
    CHECK(hash.size() == 16);
    CHECK(InputFile(scratch.path("b.h5"), "run").content_hash() == hash);
    OutputFile other(scratch.path("b.h5"), "run", {}, any_dataset);
    other.attribute("L", std::int64_t{4});
    other.commit();
    CHECK(InputFile(scratch.path("b.h5"), "run").content_hash() != hash);
}
