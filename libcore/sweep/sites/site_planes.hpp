#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "slab/halo_cpu.hpp"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

/// Says which planes of local indices each rank updates, in all subdomains. Planes are across the last axis.
/// A rank has whole tiles.
struct SitePlanes {
    SiteLanes lanes;
    int edge;  ///< edge of the tiles, or 1
    int ranks;

    /// Returns the number of planes of the lattice.
    int planes() const { return lanes.extent[lanes.dimension - 1]; }
    /// Returns the first plane of a rank, or planes() for the rank after the last.
    int first(int rank) const { return planes() / edge * rank / ranks * edge; }
    int own(int rank) const { return first(rank + 1) - first(rank); }
    /// Returns offset and length, in bytes, of the words of a colour in a plane. Plane numbers are periodic.
    CpuHalo::Memory::Part part(int colour, int plane) const {
        const std::int64_t words = lanes.colour_indices() / planes(), word = 2 * sizeof(std::uint64_t);
        return {word * (colour * lanes.colour_indices() + (plane + planes()) % planes() * words),
                word * words};
    }
    /// Sends the words (word, half) of each rank's own planes to all ranks, so that every rank has all
    /// planes. Collective.
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
