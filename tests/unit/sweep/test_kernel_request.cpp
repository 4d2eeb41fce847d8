#include <doctest/doctest.h>

#include "base/error.hpp"
#include "sweep/kernel_request.hpp"

using namespace psflip;

TEST_CASE("kernels and plans are read from their names") {
    CHECK(parse_kernel("auto").form == "auto");
    CHECK(parse_kernel("streaming").form == "streaming");
    const KernelRequest whole = parse_kernel("resident:8x5x2"), part = parse_kernel("tiled:0x13");
    CHECK(parse_kernel("fused:2x1x1").form == "fused");
    CHECK(whole.form == "resident");
    CHECK(whole.number == std::array<int, 3>{8, 5, 2});
    CHECK(part.form == "tiled");
    CHECK(part.number == std::array<int, 3>{0, 13, 0});
    CHECK(part.allows(0, 16));
    CHECK(part.allows(1, 13));
    CHECK_FALSE(part.allows(1, 12));
    CHECK(parse_kernel("resident").plans == 0);
    CHECK(whole.plans == 1);
    const KernelRequest two = parse_kernel("resident:8x5+0x2x16x12");
    CHECK(two.plans == 2);
    CHECK(two.number == std::array<int, 3>{8, 5, 0});
    CHECK(two.beside == std::array<int, 4>{0, 2, 16, 12});
    CHECK(parse_kernel("auto").parts == 0);
    CHECK(parse_kernel("streaming/1").parts == 1);
    const KernelRequest in_parts = parse_kernel("resident:8x5+0x2/2");
    CHECK(in_parts.parts == 2);
    CHECK(in_parts.number == std::array<int, 3>{8, 5, 0});
    CHECK(in_parts.beside == std::array<int, 4>{0, 2, 0, 0});
    for (const char* wrong : {"/2", "auto/", "auto/0", "auto/3", "auto/2x1", "auto/1/2"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_kernel(wrong), InputError);
    }
    for (const char* wrong :
         {"resident:8+", "resident:+8", "resident:8+1x2x3x4x5", "tiled:8+8", "resident:1x2+3+4", "", "fast",
          "auto:1", "streaming:1", "streaming:sliced", "tiled:sliced", "resident:", "resident:8x",
          "resident:-8", "resident:8y5", "tiled:1x2x3x4", "tiled:x2"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_kernel(wrong), InputError);
    }
}
