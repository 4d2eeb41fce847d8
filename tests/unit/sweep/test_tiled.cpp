#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sweep/tiled/tiled_cut.hpp"
#include "sweep/tiled/tiled_steps.hpp"

using namespace psflip;

namespace {

/// Returns the planes that blocks sweep: a number of blocks for each (prism, plane).
std::vector<int> swept_planes(const TiledCut& cut, std::uint32_t planes) {
    std::vector<int> found(cut.prisms * planes);
    for (std::uint32_t block = 0; block < cut.blocks(); ++block) {
        const TiledCut::Piece piece = cut.piece(block, planes);
        REQUIRE(piece.prism < cut.prisms);
        REQUIRE(piece.first + piece.planes <= planes);
        for (std::uint32_t z = piece.first; z < piece.first + piece.planes; ++z)
            ++found[piece.prism * planes + z];
    }
    return found;
}

/// Marches through a chunk and returns the first problem, or an empty text. It knows for each plane of both
/// colours the step of its update, and which planes the rings hold.
template <class Steps>
std::string problem_of_march(std::uint32_t planes) {
    const std::uint32_t never = 1000;
    std::vector<std::uint32_t> updated[2]{std::vector(planes + 4, never), std::vector(planes + 4, never)};
    std::vector<std::uint32_t> ring[2]{std::vector(tiled_ring, never), std::vector(tiled_ring, never)};
    const auto read = [&](int colour, std::uint32_t plane) { ring[colour][plane % tiled_ring] = plane; };
    const auto holds = [&](int colour, std::uint32_t plane) {
        return ring[colour][plane % tiled_ring] == plane;
    };
    constexpr std::uint32_t first = Steps::first_step;
    Steps steps[2];  // of threads of both colours
    for (const std::uint32_t threads : {0, 1}) steps[threads].start(threads);
    for (std::uint32_t plane = 0; plane < first + 3; ++plane) read(1, plane);
    for (std::uint32_t plane = 1; plane < first + 2; ++plane) read(0, plane);
    for (std::uint32_t u = first; u < planes + tiled_last_steps; ++u) {
        if (u <= planes) read(1, u + 3), read(0, u + 2);
        std::set<std::pair<std::uint32_t, std::uint32_t>> now;
        for (const std::uint32_t threads : {0, 1}) {
            const Steps& at = steps[threads];
            if (!at.is_active(u, threads, planes)) continue;
            const std::uint32_t colour = at.colour_in(u, threads), z = at.plane_in(u, threads);
            if (at.ring_in(u, threads) % tiled_ring != z % tiled_ring) return "another place in the ring";
            if (updated[colour][z] != never || !now.emplace(colour, z).second) return "updated twice";
            for (const std::uint32_t near : {z - 1, z, z + 1}) {
                if (!holds(1 - colour, near) || !holds(colour, z)) return "words are not in the ring";
                if (colour == 1 && updated[0][near] == never) return "black before red";
                if (colour == 0 && updated[1][near] != never) return "red after black";
            }
        }
        for (const auto& [colour, z] : now) updated[colour][z] = u;
        for (const std::uint32_t threads : {0, 1}) steps[threads].next(u, threads);
    }
    for (std::uint32_t z = 1; z < planes + 3; ++z) {
        if (updated[0][z] == never) return "red is missing";
        if ((updated[1][z] == never) == (z > 1 && z < planes + 2)) return "black is missing, or not own";
    }
    return {};
}

}  // namespace

TEST_CASE("blocks of a slab sweep every plane of every tile once") {
    const struct {
        TiledCut cut;
        std::uint32_t planes;
    } cases[] = {{{1, 1, 1}, 2},          {{5, 5, 3}, 7},          {{176, 44, 3}, 64},
                 {{176, 176, 3}, 64},     {{176, 44, 1}, 64},      {{592, 64, 2}, 127},
                 {{7, 2, 4}, 9},          {{6, 6, 3, 2, true}, 7}, {{6, 6, 5, 2, true}, 20},
                 {{6, 6, 2, 0, true}, 5}, {{6, 6, 1, 0, true}, 3}};
    for (const auto& [cut, planes] : cases) {
        CAPTURE(cut.prisms);
        CAPTURE(cut.cut);
        CAPTURE(cut.chunks);
        CHECK(swept_planes(cut, planes) == std::vector<int>(cut.prisms * planes, 1));
        std::uint32_t lowest = 0, uppermost = 0, shortest = planes, longest = 0;
        for (std::uint32_t block = 0; block < cut.blocks(); ++block) {
            const TiledCut::Piece piece = cut.piece(block, planes);
            const bool is_end = piece.first == 0 || piece.first + piece.planes == planes;
            lowest += piece.first == 0;
            uppermost += piece.first + piece.planes == planes;
            if (cut.ends_first) CHECK(is_end == (block < cut.end_blocks()));
            if (block < cut.prisms - cut.cut)
                CHECK(piece.planes == planes);
            else if (!is_end || cut.end_planes == 0)
                shortest = std::min(shortest, piece.planes), longest = std::max(longest, piece.planes);
            else
                CHECK(piece.planes == cut.end_planes);
        }
        CHECK(lowest == cut.prisms);
        CHECK(uppermost == cut.prisms);
        CHECK(shortest >= 2);
        CHECK(longest <= shortest + 1);
    }
    const TiledCut cut{4, 3, 3};
    const TiledCut::Piece whole = cut.piece(0, 8), first = cut.piece(1, 8), last = cut.piece(9, 8);
    CHECK(whole.prism == 0);
    CHECK(whole.planes == 8);
    CHECK(first.prism == 1);
    CHECK(first.planes == 2);
    CHECK(last.prism == 3);
    CHECK(last.first == 5);
    CHECK(last.planes == 3);
}

TEST_CASE("in the march of the tiled kernel, black sites follow red sites, and rings hold what is read") {
    for (const std::uint32_t planes : {1, 2, 3, 4, 5, 6, 17, 64}) {
        CAPTURE(planes);
        CHECK(problem_of_march<MarchSteps>(planes) == "");
        if (planes >= 2) CHECK(problem_of_march<ShortMarchSteps>(planes) == "");
    }
}
