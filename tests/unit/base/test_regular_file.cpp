#include <fcntl.h>
#include <sys/stat.h>

#include "base/regular_file.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

TEST_CASE("only regular files are read, and nothing waits") {
    const Scratch scratch;
    const std::string path = scratch.path("a");
    const auto read_it = [&] { read_regular_file(path, "the list", 100); };
    CHECK(contains(message_of<InputError>(read_it), path + ": cannot read the list: No such file"));
    write_bytes(path, std::string(100, 'x'));
    CHECK(read_regular_file(path, "the list", 100) == std::string(100, 'x'));
    CHECK(contains(message_of<InputError>([&] { read_regular_file(path, "the list", 99); }),
                   "at most 99 bytes"));
    std::filesystem::remove(path);
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK(contains(message_of<InputError>(read_it), "a pipe or a device"));
    CHECK(contains(message_of<InputError>([] { read_regular_file("/dev/zero", "the list", 100); }),
                   "a pipe or a device"));
    CHECK(contains(message_of<InputError>([] { read_regular_file("/", "the list", 100); }), "a folder"));
    CHECK_THROWS_AS(read_regular_file(scratch.path("a/b"), "the list", 100), InputError);
}

TEST_CASE("what may not be read is an error of the environment") {
    const Scratch scratch;
    write_bytes(scratch.path("a"), "x");
    std::filesystem::permissions(scratch.path("a"), std::filesystem::perms::none);
    std::filesystem::permissions(scratch.folder(), std::filesystem::perms::all);
    const std::string message = [&] {
        const WithoutRoot limited;
        return message_of<EnvironmentError>([&] { read_regular_file(scratch.path("a"), "the list", 100); });
    }();
    CHECK(contains(message, "cannot read the list: Permission denied"));
}
