#include "io/usage.hpp"

#include <cmath>

#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

TEST_CASE("usage adds up over calls and comes back from a file") {
    const Usage first{1e12, 10.0, 1, 500.0, "12"}, second{5e11, 2.5, 1, 250.0, "13"};
    const Usage both = sum(sum(Usage{}, first), second);
    CHECK(both.flips == 1.5e12);
    CHECK(both.wall_seconds == 12.5);
    CHECK(both.calls == 2);
    CHECK(both.gpu_energy_joules == 750.0);
    CHECK(both.slurm_jobs == "12,13");
    CHECK(sum(both, second).slurm_jobs == "12,13");
    CHECK(sum(both, Usage{1.0, 1.0, 1, {}, ""}).slurm_jobs == "12,13");
    CHECK_FALSE(sum(both, Usage{1.0, 1.0, 1, {}, ""}).gpu_energy_joules.has_value());
    CHECK_FALSE(sum(Usage{1.0, 1.0, 1, {}, ""}, first).gpu_energy_joules.has_value());

    const Scratch scratch;
    for (const Usage& usage : {both, Usage{3.0, 4.0, 5, {}, ""}, Usage{}}) {
        OutputFile out(scratch.path("state.h5"), "state", {}, any_dataset);
        write_usage(out, usage);
        out.commit();
        const Usage back = read_usage(InputFile(scratch.path("state.h5"), "state"));
        CHECK(back.flips == usage.flips);
        CHECK(back.wall_seconds == usage.wall_seconds);
        CHECK(back.calls == usage.calls);
        CHECK(back.gpu_energy_joules == usage.gpu_energy_joules);
        CHECK(back.slurm_jobs == usage.slurm_jobs);
    }
    OutputFile(scratch.path("old.h5"), "state", {}, any_dataset).commit();
    CHECK(read_usage(InputFile(scratch.path("old.h5"), "state")).calls == 0);
}

TEST_CASE("usage that is impossible is refused") {
    const Scratch scratch;
    const std::string path = scratch.path("state.h5");
    for (const Usage& usage : {Usage{-1.0, 1.0, 1, {}, ""}, Usage{1.0, std::nan(""), 1, {}, ""},
                               Usage{1.0, 1.0, -1, {}, ""}, Usage{1.0, 1.0, 1, INFINITY, ""}}) {
        OutputFile out(path, "state", {}, any_dataset);
        write_usage(out, usage);
        out.commit();
        const std::string message = message_of<InputError>([&] { read_usage(InputFile(path, "state")); });
        CHECK(contains(message, path + ": attribute "));
        CHECK(contains(message, "of /provenance"));
        CHECK(contains(message, "is impossible"));
    }
}
