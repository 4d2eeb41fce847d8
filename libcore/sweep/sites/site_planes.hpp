#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "slab/halo_cpu.hpp"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

/// Which planes of positions across the last axis, in all boxes, the ranks that share a large lattice update:
/// whole tiles of them.
struct SitePlanes {
    SiteLanes lanes;
    int edge;  ///< of the tiles, or 1
    int ranks;

    /// Of the lattice.
    int planes() const { return lanes.extent[lanes.dimension - 1]; }
    /// The first plane of a rank; of the one after the last, planes().
    int first(int rank) const { return planes() / edge * rank / ranks * edge; }
    int own(int rank) const { return first(rank + 1) - first(rank); }
    /// Where the words of a colour lie in a plane, the one after the last being the first.
    CpuHalo::Memory::Part part(int colour, int plane) const {
        const std::int64_t words = lanes.colour_positions() / planes(), word = 2 * sizeof(std::uint64_t);
        return {word * (colour * lanes.colour_positions() + (plane + planes()) % planes() * words),
                word * words};
    }
    /// Words (word, half) of all planes to all ranks, each of which has its own. Collective.
    void gather(Ranks& all, std::vector<std::uint64_t>& words) const {
        for (int rank = 0; rank < ranks; ++rank)
            for (int colour = 0; colour < 2; ++colour) {
                const auto [offset, bytes] = part(colour, first(rank));
                all.broadcast(std::as_writable_bytes(std::span(words))
                                  .subspan(static_cast<std::size_t>(offset),
                                           static_cast<std::size_t>(own(rank) * bytes)),
                              rank);
            }
    }
};

}  // namespace psflip
