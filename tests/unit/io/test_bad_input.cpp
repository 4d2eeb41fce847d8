#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/version.hpp"
#include "io/file.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

/// Read by the leak sanitizer: HDF5 itself leaks where it gives up a damaged file.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}

namespace {

/// A good file with 1 MB of data that does not compress away.
std::string good_file(const Scratch& scratch, Storage storage) {
    std::vector<std::uint64_t> values(1 << 17);
    std::uint64_t random = 1;
    for (auto& value : values) value = random = random * 6364136223846793005u + 1442695040888963407u;
    const std::string path = scratch.path("good.h5");
    OutputFile out(path, "state", {}, any_dataset);
    out.write("/spins", {16, 1 << 13}, values, storage);
    out.commit();
    return path;
}

}  // namespace

TEST_CASE("missing, empty and foreign files") {
    const Scratch scratch;
    const std::string path = scratch.path("x.h5");
    CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }),
                   path + ": there is no such file"));
    write_bytes(path, "");
    CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }), "the file is empty"));
    write_bytes(path, "L,T,beta\n4,0.8,1.25\n");
    CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }), "not an HDF5 file"));
    CHECK(contains(message_of<InputError>([&] { InputFile(scratch.folder(), "state"); }), "folder"));
}

TEST_CASE("truncated files") {
    const Scratch scratch;
    const std::string path = good_file(scratch, Storage::plain), bytes = file_bytes(path);
    for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{4096}, std::size_t{100}}) {
        CAPTURE(size);
        write_bytes(path, bytes.substr(0, size));
        const std::string message =
            message_of<InputError>([&] { InputFile(path, "state").read<std::uint64_t>("/spins"); });
        CHECK(contains(message, path));
        CHECK(contains(message, "truncated"));
    }
}

TEST_CASE("a flipped byte in the data is found, with and without a seal") {
    const Scratch scratch;
    for (const Storage storage : {Storage::plain, Storage::deflated}) {
        const std::string path = good_file(scratch, storage);
        const std::string bytes = file_bytes(path);
        const auto flip = [&path](std::string whole) {
            whole[whole.size() / 2] ^= 1;
            write_bytes(path, whole);
        };
        flip(bytes);
        CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }),
                       path + ": the file is damaged: its bytes do not have the checksum at its end"));
        write_bytes(path, bytes);
        flip(unsealed_bytes(path));
        const std::string message = message_of<InputError>([&] { InputFile(path, "state"); });
        CHECK(contains(message, "dataset /spins is damaged: its fletcher32 checksum does not match"));
    }
}

TEST_CASE("a flipped byte anywhere in a file without seal ends in an error or in a file that reads") {
    const Scratch scratch;
    const std::string path = good_file(scratch, Storage::plain), bytes = unsealed_bytes(path);
    const std::size_t heap = bytes.find("GCOL");  // of the texts, the one part without checksum
    REQUIRE(heap != std::string::npos);
    for (std::size_t position = 0; position < heap + 4096; position += position < heap ? 61 : 7) {
        CAPTURE(position);
        std::string changed = bytes;
        changed[position] = static_cast<char>(changed[position] ^ 0x41);
        write_bytes(path, changed);
        try {
            const InputFile in(path, "state");
            in.read<std::uint64_t>("/spins");
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find(path) == 0);
        }
    }
}

TEST_CASE("a seal that is cut short or damaged") {
    const Scratch scratch;
    const std::string path = good_file(scratch, Storage::plain), bytes = file_bytes(path);
    const std::size_t seal = bytes.rfind("psflip seal");
    REQUIRE(bytes.size() - seal == 35);
    for (std::size_t size = seal + 18; size < bytes.size(); ++size) {
        write_bytes(path, bytes.substr(0, size));
        CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }), "truncated"));
    }
    for (std::size_t size = seal; size < seal + 18; ++size) {  // all that HDF5 wrote is there
        write_bytes(path, bytes.substr(0, size));
        CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }), "at its end is missing"));
    }
    for (const std::string& more : {std::string(1, '\0'), std::string("\n"), std::string(100, 'x')}) {
        write_bytes(path, bytes + more);
        CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }), "not at the end"));
    }
    std::string changed = bytes;
    changed[seal + 20] ^= 1;
    write_bytes(path, changed);
    CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }), "damaged"));
}

TEST_CASE("what is no regular file or may not be read") {
    const Scratch scratch;
    const std::string path = scratch.path("pipe");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK(contains(message_of<InputError>([&] { InputFile(path, "state"); }), "pipe"));
    CHECK(contains(message_of<InputError>([&] { InputFile("/dev/zero", "state"); }), "device"));
    const std::string secret = good_file(scratch, Storage::plain);
    REQUIRE(chmod(secret.c_str(), 0) == 0);
    REQUIRE(chmod(scratch.folder().c_str(), 0777) == 0);
    const std::string message = [&] {
        const WithoutRoot limited;
        return message_of<EnvironmentError>([&] { InputFile(secret, "state"); });
    }();
    CHECK(contains(message, secret));
    CHECK(contains(message, "Permission denied"));
    CHECK(contains(message_of<InputError>([&] { InputFile(path + "/x", "state"); }), path + "/x"));
}

TEST_CASE("kind and versions") {
    const Scratch scratch;
    const std::string path = good_file(scratch, Storage::plain);
    CHECK(contains(message_of<InputError>([&] { InputFile(path, "disorder"); }),
                   "is a file of kind \"state\", but a \"disorder\" file is needed"));
    CHECK(contains(message_of<InputError>([&] { InputFile(path, "observables"); }),
                   "an \"observables\" file is needed"));
    const auto with = [&](const std::string& name, auto value) {
        OutputFile out(path, "state", {}, any_dataset);
        out.attribute(name, value);
        out.commit();
        return message_of<InputError>([&] { InputFile(path, "state"); });
    };
    for (const std::int64_t other : {format_version - 1, format_version + 1})
        CHECK(contains(
            with("format_version", other),
            fmt::format("{}: format_version is {}, but this psflip reads {}; make the file anew, or use "
                        "the psflip version that made it",
                        path, other, format_version)));
    CHECK(contains(with("physics_version", std::int64_t{99}), "physics_version is 99"));
    CHECK(contains(with("format", std::string("other")), "not a psflip file"));
    CHECK(contains(with("format", std::int64_t{1}), "root attribute format has type int64 instead of text"));
    CHECK(contains(with("format_version", std::string("1")), "has type string instead of one integer"));
    CHECK(contains(with("kind", 1.5), "root attribute kind has type float64 instead of text"));
}

TEST_CASE("missing datasets, other shapes and rows beyond the end") {
    const Scratch scratch;
    const std::string path = good_file(scratch, Storage::plain);
    const InputFile in(path, "state");
    CHECK(contains(message_of<InputError>([&] { in.read<std::uint64_t>("/sweep"); }),
                   path + ": dataset /sweep is missing; a state file needs it"));
    CHECK(contains(message_of<InputError>([&] {
                       in.require_shape("/spins", {16, 4096});
                   }),
                   "dataset /spins has shape (16, 8192) instead of (16, 4096)"));
    CHECK(contains(message_of<InputError>([&] {
                       in.require_shape("/spins", {-1, 8192, 2});
                   }),
                   "instead of (R, 8192, 2)"));
    in.require_shape("/spins", {-1, 8192});
    CHECK(contains(message_of<InputError>([&] { in.read_rows<std::uint64_t>("/spins", 10, 7); }),
                   "has 16 rows, but 7 rows from number 10 on are needed"));
    CHECK_THROWS_AS(in.read_rows<std::uint64_t>("/spins", -1, 2), InputError);
    CHECK_THROWS_AS(in.read<std::uint64_t>("/"), InputError);
}

TEST_CASE("a shape without the values") {
    const Scratch scratch;
    const std::string path = scratch.path("sparse.h5");
    OutputFile out(path, "state", {}, any_dataset);
    out.create<double>("/tempering/series", {std::int64_t{1} << 33, 4});
    out.create<double>("/few", {1 << 10});
    out.commit();
    const InputFile in(path, "state");
    CHECK(contains(message_of<InputError>([&] { in.read<double>("/tempering/series"); }),
                   "dataset /tempering/series has only 0 of its "));
    CHECK(contains(message_of<InputError>([&] { in.read_rows<double>("/tempering/series", 5, 1); }),
                   "never written"));
    CHECK(contains(message_of<InputError>([&] { in.read<double>("/few"); }), "never written"));
}
