#pragma once

#include <array>
#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// The number of 32-lane words in the 128 lanes of a local index, and the number of lanes.
inline constexpr int lane_words = 4;
inline constexpr int lanes_of_lattice = 32 * lane_words;

/// Holds the 128 lanes of a local index.
struct LaneBits {
    std::uint32_t word[lane_words];
};

/// Says how lanes move if a local index wraps along one direction: each lane gets the bit of the neighbouring
/// subdomain, which is `stride` lanes away. Lanes move within groups of `group` lanes, periodically. A group
/// has 32 lanes or fewer, or all 128.
struct LaneStep {
    std::uint32_t stride = 1, group = 128;
    std::uint32_t staying[2] = {0, 0};  ///< (backward, forward): lanes that need not wrap in their group

    /// Returns the 32-lane word w of the moved lanes. If `forward`, lane l gets the bit of lane l + stride of
    /// its group. Otherwise it gets the bit of lane l - stride.
    PSFLIP_HD std::uint32_t word(const std::uint32_t (&from)[lane_words], bool forward, int w) const {
        if (group > 32) {
            const std::uint32_t next = from[(w + 1) % lane_words], before = from[(w + 3) % lane_words];
            return forward ? from[w] >> stride | next << (32 - stride)
                           : from[w] << stride | before >> (32 - stride);
        }
        const std::uint32_t back = group - stride, stay = staying[forward];
        return forward ? (from[w] >> stride & stay) | (from[w] << back & ~stay)
                       : (from[w] << stride & stay) | (from[w] >> back & ~stay);
    }
    PSFLIP_HD LaneBits operator()(const LaneBits& from, bool forward) const {
        LaneBits to;
        PSFLIP_UNROLL
        for (int w = 0; w < lane_words; ++w) to.word[w] = word(from.word, forward, w);
        return to;
    }
};

/// Cuts one lattice into 128 subdomains of even extents. There are 8 x 16 subdomains in two dimensions, and 4
/// x 4 x 8 in three. The lane is the number of the subdomain, x fastest. A site with the coordinates x, y, z
/// in its subdomain has the local index x + extent[0] (y + extent[1] z). x + y + z has the same parity in the
/// subdomain and in the lattice. The word of a local index holds the sites with this index in all subdomains.
/// Neighbours have neighbouring coordinates. If a coordinate wraps, the lanes move to the next subdomain
/// (LaneStep).
///
/// Words are ordered by colour, then z, y and half of x: in a row (y, z), x = 2 h + (colour + y + z) % 2.
struct SiteLanes {
    int dimension = 2, L = 0;
    std::array<int, 3> subdomains{}, extent{};
    std::array<LaneStep, 3> step{};

    SiteLanes() = default;
    /// L: a multiple of 64 up to 65536 in two dimensions, of 32 up to 1024 in three. Errors: InputError, with
    /// possible sizes, for another L.
    SiteLanes(int dimension, int L);

    std::int64_t sites() const { return local_indices() * lanes_of_lattice; }
    PSFLIP_HD std::int64_t local_indices() const { return std::int64_t{extent[0]} * extent[1] * extent[2]; }
    PSFLIP_HD std::int64_t colour_indices() const { return local_indices() / 2; }
    /// Returns the number of rows along x of the local indices.
    std::int64_t rows() const { return std::int64_t{extent[1]} * extent[2]; }
    /// Returns the number of words of a colour in a row.
    PSFLIP_HD int row_words() const { return extent[0] / 2; }

    /// Returns the lanes whose subdomains begin with a tile of the second colour, for tiles of this edge.
    /// There are no such lanes if every subdomain has an even number of tiles along each axis.
    LaneBits odd_lanes(int tile) const;

    struct Place {
        int lane;
        std::int64_t word;
    };
    /// Returns lane and word of the site x + L (y + L z).
    Place place(std::int64_t site) const;
    /// Returns the site of a lane that has the coordinates x, y, z in its subdomain.
    std::int64_t site(int lane, int x, int y, int z) const;
};

/// Calls f(word, lane, site) for all sites in rows first, ..., end - 1 of the local indices
/// (SiteLanes::rows).
template <class F>
void for_each_place(const SiteLanes& lanes, std::int64_t first, std::int64_t end, const F& f) {
    std::int64_t subdomain[lanes_of_lattice];
    for (int lane = 0; lane < lanes_of_lattice; ++lane) subdomain[lane] = lanes.site(lane, 0, 0, 0);
    for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t y = row % lanes.extent[1], z = row / lanes.extent[1];
        for (std::int64_t x = 0; x < lanes.extent[0]; ++x) {
            const std::int64_t word =
                (x + y + z) % 2 * lanes.colour_indices() + row * lanes.row_words() + x / 2;
            const std::int64_t within = x + lanes.L * (y + lanes.L * z);
            for (int lane = 0; lane < lanes_of_lattice; ++lane) f(word, lane, subdomain[lane] + within);
        }
    }
}

}  // namespace psflip
