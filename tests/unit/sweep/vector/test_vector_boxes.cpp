#include <doctest/doctest.h>

#include <initializer_list>

#include "sweep/vector/vector_boxes.hpp"

using namespace psflip;

namespace {

constexpr unsigned h100 = 132, memory = 226u << 10;  // multiprocessors, bytes of shared memory of a block

}  // namespace

TEST_CASE("lattices fit in shared memory as boxes, and threads suffice for quads and halos") {
    for (const unsigned L : {8u, 16u, 24u, 32u, 40u, 48u, 64u, 72u})
        for (const long long lattices : {1, 7, 64, 1000}) {
            CAPTURE(L);
            CAPTURE(lattices);
            const ResidentPlan plan = resident_plan(L, lattices, h100, memory);
            REQUIRE(plan.possible());
            const VectorBoxes& boxes = plan.boxes;
            CHECK(boxes.rows * boxes.along_y == L);
            CHECK(boxes.planes * boxes.along_z == L);
            CHECK(boxes.count() <= 32 * h100);
            CHECK(plan.bytes <= memory);
            CHECK(plan.bytes == 12 * L * boxes.held_rows() * boxes.held_planes());
            CHECK(plan.threads <= unsigned{max_resident_threads});
            CHECK(plan.threads % 32 == 0);
            CHECK(plan.threads % (boxes.rows * L / 8) == 0);
            CHECK(plan.threads >= 2 * (boxes.halo_z() * boxes.rows + boxes.halo_y() * boxes.planes) * L / 8);
        }
}

TEST_CASE("one lattice gets all multiprocessors, and many small lattices one each") {
    CHECK(resident_plan(64, 1, h100, memory).boxes.count() == 256);
    CHECK(resident_plan(32, 64, h100, memory).boxes.count() == 2);
    CHECK(resident_plan(16, 1000, h100, memory).boxes.count() == 1);
    for (const unsigned L : {6u, 12u, 36u}) CHECK_FALSE(resident_plan(L, 1, h100, memory).possible());
    for (const unsigned L : {128u, 256u}) CHECK_FALSE(resident_plan(L, 1, h100, memory).possible());
}

TEST_CASE("tiles of large lattices fit in shared memory") {
    for (const unsigned L : {136u, 160u, 192u, 256u, 320u, 384u, 512u}) {
        CAPTURE(L);
        const StreamPlan plan = stream_plan(L, 1, h100, memory);
        REQUIRE(plan.possible());
        CHECK(L % plan.rows == 0);
        CHECK(L % plan.planes == 0);
        CHECK(plan.bytes <= memory);
        CHECK(plan.threads % 32 == 0);
        CHECK(plan.threads <= unsigned{max_stream_threads});
        CHECK(plan.threads >= (plan.rows + 2) * L / 8);
    }
    const StreamPlan plan = stream_plan(256, 1, h100, memory);
    CHECK(plan.rows == 16);
    CHECK(plan.planes == 32);
}
