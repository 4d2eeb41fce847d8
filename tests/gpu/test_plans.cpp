#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/device.hpp"
#include "equal_runs.hpp"
#include "sweep/plan_cache.hpp"
#include "unit/io/scratch.hpp"

// Plans that are measured, stored and found again.

using namespace psflip;

namespace {

constexpr std::int64_t long_call = std::int64_t{1} << 40;

/// Sets PSFLIP_PLAN_CACHE for a scope; the other tests of this program have `off`.
struct CacheFolder {
    explicit CacheFolder(const std::string& folder) { setenv("PSFLIP_PLAN_CACHE", folder.c_str(), 1); }
    ~CacheFolder() { setenv("PSFLIP_PLAN_CACHE", "off", 1); }
};

/// Runs a batch whose description must hold `text`. Returns the plan of the description.
std::string check_plan(const Shape& shape, std::int64_t sweeps, const std::string& text) {
    Simulation cpu("cpu", shape), cuda("cuda", shape, true, sweeps);
    const std::string description = cuda.ensemble().description();
    INFO(description);
    CHECK(description.find(text) != std::string::npos);
    cpu.run(0, 7);
    cuda.run(0, 7);
    check_equal(cpu, cuda);
    return description.substr(description.rfind(' ') + 1);
}

}  // namespace

TEST_CASE("measured and stored plans leave the bits of predicted plans") {
    for (const Shape& shape :
         {Shape{8, 2, 6, 300, 128, 128}, Shape{12, 1, 5, 130, 0, 1}, Shape{34, 1, 4, 64, 0, 64}}) {
        const test::Scratch scratch;
        const CacheFolder folder(scratch.folder());
        INFO("L " << shape.L);
        check_plan(shape, 0, "predicted plan");
        CHECK(scratch.entries() == 0);
        const std::string plan = check_plan(shape, long_call, "measured plan");
        CHECK(scratch.entries() == 1);
        CHECK(check_plan(shape, 0, "stored plan") == plan);
        CHECK(check_plan(shape, long_call, "stored plan") == plan);
    }
}

TEST_CASE("stored plans that the device refuses and damaged files are ignored") {
    const test::Scratch scratch;
    const CacheFolder folder(scratch.folder());
    const Shape shape{8, 2, 6, 128, 0, 128};
    check_plan(shape, long_call, "measured plan");
    const std::string path = plan_cache_path(cuda_device_name(0));
    const std::string text = test::file_bytes(path);
    for (const char* plan : {"resident:8x5x2x1", "resident:64x1x1/1", "fast", "\x01"}) {
        test::write_bytes(path, text.substr(0, text.find('\t') + 1) + plan + "\n");
        check_plan(shape, 0, "predicted plan");
    }
    test::write_bytes(path, "no plans");
    check_plan(shape, 0, "predicted plan");
    check_plan(shape, long_call, "measured plan");
    const CacheFolder missing("/proc/no/such/folder");
    check_plan(shape, long_call, "measured plan");
}
