// Defines lines of sites that go through all slabs, and how ranks share these lines.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lattice/site_order.hpp"

namespace psflip {

/// Returns the first axis whose lines go through all slabs. All later axes have such lines, too. Lines along
/// earlier axes lie in planes of the site order.
PSFLIP_HD int first_axis_through_slabs(SiteOrder order) {
    return order == SiteOrder::sliced ? 0 : 2;
}

/// Names a site of a plane of a site order, by its first two coordinates in the order.
struct PlaceInPlane {
    int u, v;
};

/// Returns the site in which a line crosses plane w, both counted from 0 in the whole lattice. Lines are
/// numbered from 0 to L^2 - 1. They lie along z in the standard order, and along any axis in the sliced
/// order. Sites in planes k apart, modulo L, are k apart in the line.
PSFLIP_HD PlaceInPlane crossing(SiteOrder order, int L, int axis, int line, int w) {
    const int a = line % L, b = line / L;
    if (order != SiteOrder::sliced) return {a, b};
    return {axis == 0 ? wrapped(a + w, L) : a, axis == 2 ? b : wrapped(b - w, L)};
}

/// Returns the first of a rank's lines, if ranks share `lines` lines in the order of ranks.
PSFLIP_HD std::int64_t first_line(std::int64_t lines, int rank, int ranks) {
    return lines * rank / ranks;
}

/// Returns the rank that has a line.
PSFLIP_HD int rank_of_line(std::int64_t lines, std::int64_t line, int ranks) {
    return static_cast<int>(((line + 1) * ranks - 1) / lines);
}

/// The maximum number of bytes that a rank sends at once if ranks exchange lines. One line for each rank may
/// need more.
inline constexpr std::int64_t line_message_bytes = std::int64_t{64} << 20;

/// Returns how many lines of `fields` fields per site ranks exchange at once, at least one for each rank.
/// planes: largest number of own planes of a rank.
inline int lines_at_once(int L, int planes, int ranks, int fields) {
    const std::int64_t fitting = line_message_bytes / (std::int64_t{16} * fields * planes);
    return static_cast<int>(std::clamp<std::int64_t>(fitting, ranks, std::int64_t{L} * L));
}

}  // namespace psflip
