#include <doctest/doctest.h>

#include "base/error.hpp"
#include "sweep/kernel_request.hpp"

using namespace psflip;

TEST_CASE("kernels and plans are read from their names") {
    const struct {
        const char *text, *kernel;
        int plans;
        std::array<int, 4> numbers;
        std::array<int, 4> second_numbers;
        int parts;
    } cases[] = {{"auto", "auto", 0, {}, {}, 0},
                 {"streaming", "streaming", 0, {}, {}, 0},
                 {"streaming/1", "streaming", 0, {}, {}, 1},
                 {"resident", "resident", 0, {}, {}, 0},
                 {"resident:8x5x2", "resident", 1, {8, 5, 2}, {}, 0},
                 {"tiled:0x13", "tiled", 1, {0, 13}, {}, 0},
                 {"tiled:16x12x3x44", "tiled", 1, {16, 12, 3, 44}, {}, 0},
                 {"fused:2x1x1", "fused", 1, {2, 1, 1}, {}, 0},
                 {"strips:24x2x12/1", "strips", 1, {24, 2, 12}, {}, 1},
                 {"resident:8x5+0x2x16x12", "resident", 2, {8, 5}, {0, 2, 16, 12}, 0},
                 {"resident:8x5+0x2/2", "resident", 2, {8, 5}, {0, 2}, 2}};
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const KernelRequest request = parse_kernel(c.text);
        CHECK(request.kernel == c.kernel);
        CHECK(request.plans == c.plans);
        CHECK(request.numbers == c.numbers);
        CHECK(request.second_numbers == c.second_numbers);
        CHECK(request.parts == c.parts);
        CHECK(request.is_free() == (std::string(c.text) == "auto"));
    }
    const KernelRequest tiled = parse_kernel("tiled:0x13");
    CHECK(tiled.allows(0, 16));
    CHECK(tiled.allows(1, 13));
    CHECK_FALSE(tiled.allows(1, 12));
    CHECK(tiled.takes("tiled"));
    CHECK_FALSE(tiled.takes("streaming"));
    CHECK(plan_text("tiled:", {0, 13, 2}) == "tiled:0x13x2");
    for (const char* wrong : {"/2",
                              "auto/",
                              "auto/0",
                              "auto/3",
                              "auto/2x1",
                              "auto/1/2",
                              "resident:8+",
                              "resident:+8",
                              "resident:8+1x2x3x4x5",
                              "tiled:8+8",
                              "resident:1x2+3+4",
                              "",
                              "fast",
                              "auto:1",
                              "streaming:1",
                              "streaming:sliced",
                              "tiled:sliced",
                              "resident:",
                              "resident:8x",
                              "resident:-8",
                              "resident:8y5",
                              "resident:1x2x3x4",
                              "tiled:1x2x3x4x5",
                              "tiled:x2"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_kernel(wrong), InputError);
    }
}
