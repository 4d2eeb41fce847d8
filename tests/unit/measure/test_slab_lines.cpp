#include "measure/slab_lines.hpp"

#include <doctest/doctest.h>

#include <set>
#include <tuple>

using namespace psflip;

namespace {

Coordinates site_of(SiteOrder order, int L, int axis, int line, int w) {
    const PlaceInPlane at = crossing(order, L, axis, line, w);
    return from_order(order, L, {at.u, at.v, w});
}

/// Checks that lines have every site once, and that sites in neighbouring planes are neighbours along the
/// axis.
void check_lines(SiteOrder order, int L, int axis) {
    std::set<std::tuple<int, int, int>> sites;
    bool in_line = true;
    for (int line = 0; line < L * L; ++line) {
        const auto [x, y, z] = site_of(order, L, axis, line, 0);
        const Coordinates next = site_of(order, L, axis, line, 1);
        const int from[] = {x, y, z}, to[] = {next.x, next.y, next.z};
        const int step = wrapped(to[axis] - from[axis], L);
        in_line = in_line && (step == 1 || step == L - 1);
        for (int w = 0; w < L; ++w) {
            const Coordinates at = site_of(order, L, axis, line, w);
            const int place[] = {at.x, at.y, at.z};
            for (int other = 0; other < 3; ++other)
                in_line =
                    in_line && place[other] == (other == axis ? (from[axis] + step * w) % L : from[other]);
            sites.emplace(at.x, at.y, at.z);
        }
    }
    CHECK(in_line);
    CHECK(sites.size() == static_cast<std::size_t>(L) * L * L);
}

}  // namespace

TEST_CASE("lines that cross all planes have every site once, in steps of one site along their axis") {
    for (const int L : {4, 6, 10}) {
        check_lines(SiteOrder::standard, L, 2);
        for (int axis = 0; axis < 3; ++axis) check_lines(SiteOrder::sliced, L, axis);
    }
}

TEST_CASE("every line has one rank, which rank_of_line names") {
    for (const int lines : {1, 16, 37, 4096})
        for (int ranks = 1; ranks <= 8; ++ranks) {
            bool equal = true;
            std::int64_t next = 0;
            for (int rank = 0; rank < ranks; ++rank)
                for (; next < first_line(lines, rank + 1, ranks); ++next)
                    equal = equal && rank_of_line(lines, next, ranks) == rank;
            CHECK(equal);
            CHECK(next == lines);
        }
}

TEST_CASE("ranks exchange at least one line each, and at most all lines of a lattice") {
    CHECK(lines_at_once(4, 2, 2, 1) == 16);
    CHECK(lines_at_once(256, 128, 2, 3) == line_message_bytes / (16 * 3 * 128));
    CHECK(lines_at_once(1024, 1024, 8, 3) >= 8);
}
