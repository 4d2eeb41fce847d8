#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "io/file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/output/output_guard.hpp"
#include "io/output/temporary_name.hpp"
#include "io/output/writer_lock.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

void write_number(const std::string& path, std::int64_t number) {
    OutputFile out(path, "state", {}, any_dataset);
    out.write("/sweep", {1}, &number);
    out.commit();
}

std::int64_t read_number(const std::string& path) {
    return InputFile(path, "state").read<std::int64_t>("/sweep").data[0];
}

/// Writes far more than `bytes` of data that do not compress, in rows.
void write_much(const std::string& path, std::int64_t bytes, bool in_rows, Storage storage) {
    OutputFile out(path, "state", {}, any_dataset);
    std::vector<std::uint64_t> row(1 << 13);
    std::uint64_t random = 7;
    const std::int64_t rows = 2 * bytes / (8 << 13);
    if (in_rows) out.create<std::uint64_t>("/spins", {rows, 1 << 13}, storage);
    for (std::int64_t i = 0; i < rows; ++i) {
        for (auto& value : row) value = random = random * 6364136223846793005u + 1442695040888963407u;
        if (in_rows) {
            out.write_rows("/spins", i, 1, row.data());
        } else {
            out.write("/piece" + std::to_string(i), {1 << 13}, row, storage);
        }
    }
    out.commit();
}

}  // namespace

TEST_CASE("without commit nothing is left and an existing file stays") {
    const Scratch scratch;
    const std::string path = scratch.path("state.h5");
    write_number(path, 1);
    {
        OutputFile out(path, "state", {}, any_dataset);
        out.create<double>("/series", {1000});
        const std::vector<double> row(10, 1.0);
        out.write_rows("/series", 0, 10, row.data());
        CHECK(scratch.entries() == 2);
    }
    CHECK(scratch.entries() == 1);
    CHECK(read_number(path) == 1);
    write_number(path, 2);
    CHECK(scratch.entries() == 1);
    CHECK(read_number(path) == 2);
}

TEST_CASE("an open reader keeps the file it opened while a new one takes the name") {
    const Scratch scratch;
    const std::string path = scratch.path("state.h5");
    write_number(path, 1);
    const InputFile old(path, "state");
    write_number(path, 2);
    CHECK(old.read<std::int64_t>("/sweep").data[0] == 1);
    CHECK(read_number(path) == 2);
}

TEST_CASE("a moved OutputFile still commits") {
    const Scratch scratch;
    OutputFile first(scratch.path("state.h5"), "state", {}, any_dataset);
    OutputFile second(std::move(first));
    const std::int64_t number = 5;
    second.write("/sweep", {1}, &number);
    second.commit();
    CHECK(read_number(scratch.path("state.h5")) == 5);
    CHECK_THROWS_AS(second.commit(), std::logic_error);
    CHECK_THROWS_AS(second.attribute("L", std::int64_t{4}), std::logic_error);
}

TEST_CASE(
    "a writer killed in the middle leaves the old file, and the next that holds the lock removes its "
    "remains") {
    const Scratch scratch;
    const std::string path = scratch.path("state.h5");
    write_number(path, 1);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        OutputFile out(path, "state", {}, any_dataset);
        const std::vector<std::uint64_t> spins(1 << 20, 42);
        for (int i = 0;; ++i) out.write("/spins" + std::to_string(i % 1000000), {1 << 20}, spins);
    }
    while (scratch.entries() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(scratch.entries() == 2);
    CHECK(read_number(path) == 1);
    write_number(path, 3);
    check_writable(path);
    CHECK(read_number(path) == 3);
    CHECK(scratch.entries() == 2);
    { const WriterLock lock(path, "pt-run"); }
    CHECK(scratch.entries() == 1);
}

TEST_CASE("a temporary names its writer, and only that of a writer that is gone is removed") {
    const TemporaryWriter here = this_writer();
    CHECK(here.place.size() == 16);
    CHECK(here.process == getpid());
    CHECK(here.start > 0);
    const auto written_by = [](const std::string& name) { return writer_of("a/run.h5", name); };
    for (const std::string family : {"", ".checkpoint.h5", ".lock", ".lock.takeover"})
        CHECK(written_by(temporary_name("run.h5" + family, here, 3)) == here);
    for (const std::string other :
         {"run.h5.lock", "run.h5.tmp-", "run.h5.tmp-vm-999999-4711-0", "run.h5.tmp-0123456789abcdef-1-2-3.h5",
          "run.h5.tmp-0123456789abcdef-1-2", "run.h5.tmp-0123456789abcdef--1-2-3",
          "run.h5x.tmp-0123456789abcdef-1-2-3", "xrun.h5.tmp-0123456789abcdef-1-2-3"})
        CHECK_FALSE(written_by(other));

    CHECK_FALSE(is_gone(here));
    TemporaryWriter other = here;
    other.start += 1;
    CHECK(is_gone(other));  // a later process has the number
    other.start = 0;
    CHECK_FALSE(is_gone(other));
    other = here;
    other.place = "0123456789abcdef";  // another machine or container, where numbers mean nothing here
    other.process = 1 << 30;
    CHECK_FALSE(is_gone(other));
    other.place = "";
    CHECK_FALSE(is_gone(other));
    other.place = here.place;
    CHECK(is_gone(other));
    ProcessPlace place = this_place();
    place.pid_namespace += "0";
    CHECK(place_hash(place) != here.place);
    place.pid_namespace = "";
    CHECK(place_hash(place).empty());
}

TEST_CASE("a host of a longer name, another container and a probe leave temporaries alone") {
    const Scratch scratch;
    const std::string path = scratch.path("run.h5");
    write_bytes(path + ".tmp-" + host_name() + "-999999-4194304-0", "of a host of a longer name");
    TemporaryWriter elsewhere = this_writer();
    elsewhere.place = "0123456789abcdef";
    write_bytes(temporary_name(path, elsewhere, 0), "of another container");
    TemporaryWriter dead = this_writer();
    dead.start += 1;
    write_bytes(temporary_name(path, dead, 0), "of a dead process");
    check_writable(path);
    write_text_file(path, "a table");
    CHECK(scratch.entries() == 4);
    { const WriterLock lock(path, "pt-run"); }
    CHECK(scratch.entries() == 3);
    CHECK_FALSE(std::filesystem::exists(temporary_name(path, dead, 0)));
}

TEST_CASE("a full disk" * doctest::skip(!can_mount())) {
    for (const bool in_rows : {false, true}) {
        for (const Storage storage : {Storage::plain, Storage::deflated}) {
            const SmallDisk disk("size=1m");
            const std::string path = disk.scratch().path("state.h5");
            write_number(path, 1);
            const std::string message =
                message_of<EnvironmentError>([&] { write_much(path, 1 << 20, in_rows, storage); });
            CHECK(contains(message, "cannot write " + path + ": No space left on device"));
            CHECK(disk.scratch().entries() == 1);
            CHECK(read_number(path) == 1);
        }
    }
}

TEST_CASE("every size of disk ends in a complete file or in an error" * doctest::skip(!can_mount())) {
    int complete = 0, full = 0;
    for (int pages = 1; pages < 40; ++pages) {
        const SmallDisk disk("size=" + std::to_string(4 * pages) + "k");
        const std::string path = disk.scratch().path("state.h5");
        try {
            write_much(path, 1 << 15, pages % 2 == 0, Storage::plain);
            CHECK(InputFile(path, "state").has_attribute("physics_version"));
            ++complete;
        } catch (const EnvironmentError& error) {
            CHECK(contains(error.what(), "No space left on device"));
            CHECK(disk.scratch().entries() == 0);
            ++full;
        }
    }
    CHECK(complete > 0);
    CHECK(full > 0);
}

TEST_CASE("folders that cannot be written") {
    const Scratch scratch;
    const std::string absent = scratch.path("no/state.h5");
    CHECK(contains(message_of<EnvironmentError>([&] { OutputFile(absent, "state", {}, any_dataset); }),
                   "cannot write " + absent + ": No such file or directory (the folder does not exist"));
    CHECK_THROWS_AS(check_writable(absent), EnvironmentError);
    write_bytes(scratch.path("file"), "x");
    CHECK(contains(message_of<EnvironmentError>([&] { check_writable(scratch.path("file/state.h5")); }),
                   "not a folder"));
    CHECK_THROWS_AS(check_writable(scratch.folder()), InputError);
    CHECK_THROWS_AS(check_writable("/dev/null"), InputError);
    CHECK_THROWS_AS(check_writable(""), InputError);
    check_writable(scratch.path("state.h5"));
    CHECK(scratch.entries() == 1);
}

TEST_CASE("a disk that is read only" * doctest::skip(!can_mount())) {
    const SmallDisk disk("size=1m");
    disk.make_read_only();
    CHECK(contains(message_of<EnvironmentError>([&] { check_writable(disk.scratch().path("state.h5")); }),
                   "Read-only file system"));
}

TEST_CASE("text files are written whole") {
    const Scratch scratch;
    write_text_file(scratch.path("results.csv"), "L,T\n");
    CHECK(file_bytes(scratch.path("results.csv")) == "L,T\n");
    CHECK(scratch.entries() == 1);
    CHECK_THROWS_AS(write_text_file(scratch.path("no/results.csv"), "L,T\n"), EnvironmentError);
}

TEST_CASE("a text file for which the disk has no room leaves nothing" * doctest::skip(!can_mount())) {
    const SmallDisk disk("size=16k");
    CHECK_THROWS_AS(write_text_file(disk.scratch().path("results.csv"), std::string(100000, 'x')),
                    EnvironmentError);
    CHECK(disk.scratch().entries() == 0);
}

TEST_CASE("what somebody else wrote to a guarded name meanwhile is not replaced") {
    const Scratch scratch;
    const std::string path = scratch.path("out.csv");
    for (const bool there : {false, true}) {
        if (there) write_bytes(path, "before\n");
        {
            const OutputGuard guard(path);
            write_text_file(path, "own\n");
            write_text_file(path, "own again\n");
            CHECK(file_bytes(path) == "own again\n");
            write_bytes(path, "precious\n");
            CHECK(contains(message_of<EnvironmentError>([&] { write_text_file(path, "own\n"); }),
                           "another process wrote a file of that name"));
            CHECK(file_bytes(path) == "precious\n");
            CHECK(scratch.entries() == 1);
            unlink(path.c_str());
            CHECK_NOTHROW(write_text_file(path, "own\n"));
        }
        write_bytes(path, "of nobody's concern\n");
        CHECK_NOTHROW(write_text_file(path, "own\n"));
        unlink(path.c_str());
    }
}
