#pragma once

#include "sweep/sites/site_part_cuda.cuh"
#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Holds the parameters of a launch: its sweeps and tiles.
struct TileLaunch {
    std::uint64_t first_sweep;
    const StepNumbers* of_graph;  ///< if not null, its sweep replaces first_sweep
    std::uint32_t colour, hits;
    std::uint32_t first_colour;  ///< of the sites that each hit updates first
    std::uint32_t bits;          ///< log2 of the edge of a tile
    std::uint32_t tiles[3];      ///< tiles of a subdomain, along each axis
    bool mixed;    ///< a tile of local indices has one colour in some subdomains, the other in the rest
    LaneBits odd;  ///< the subdomains in which it has the other colour
};

/// Describes a tile with a layer of sites around it, in shared memory. Its words are ordered by colour, then
/// z, y and half of x, which are counted from the layer on.
template <int Dimension>
struct Tile {
    std::uint32_t bits, edge, row, plane, half;  ///< words of 128 lanes in a row, a plane, a colour
    std::uint32_t origin[3];
    bool other;  ///< the tile has the launch's colour only in odd subdomains

    /// block: number of the tile among the tiles that a launch for whole lattices updates.
    __device__ __forceinline__ Tile(const TileLaunch& launch, std::uint32_t block) {
        bits = launch.bits;
        edge = (1u << bits) + 2;
        row = edge / 2;
        plane = row * edge;
        half = plane * (Dimension == 3 ? edge : 1);
        const std::uint32_t across = launch.mixed ? launch.tiles[0] : launch.tiles[0] / 2;
        const std::uint32_t i = block / across, ty = i % launch.tiles[1], tz = i / launch.tiles[1];
        std::uint32_t tx = block % across;
        if (!launch.mixed) tx = 2 * tx + ((launch.colour + ty + tz) & 1);
        other = (tx + ty + tz + launch.colour) & 1;
        origin[0] = tx << bits;
        origin[1] = ty << bits;
        origin[2] = tz << bits;
    }
    /// Returns the number of 32-lane words of a colour, without the layer.
    __device__ __forceinline__ std::uint32_t own_words() const {
        return lane_words << (Dimension * bits - 1);
    }
    /// Sets `at` to the coordinates x, y, z in the tile of site number i of a colour.
    __device__ __forceinline__ void site(std::uint32_t i, std::uint32_t colour,
                                         std::uint32_t (&at)[3]) const {
        const std::uint32_t mask = (1u << bits) - 1;
        at[1] = i >> (bits - 1) & mask;
        at[2] = Dimension == 3 ? i >> (2 * bits - 1) : 0;
        at[0] = 2 * (i & (mask >> 1)) + ((colour + at[1] + at[2]) & 1);
    }
    /// Returns the index of a site's word in shared memory. The coordinates in the tile may be -1 or the
    /// edge.
    __device__ __forceinline__ std::uint32_t word(std::uint32_t colour, int x, int y, int z) const {
        return colour * half + (Dimension == 3 ? (z + 1) * plane : 0) + (y + 1) * row +
               (static_cast<std::uint32_t>(x + 1) >> 1);
    }
};

/// Returns v with its lanes moved to the next subdomain, or to the previous one.
__device__ __forceinline__ uint4 stepped(const uint4& v, const LaneStep& step, bool forward) {
    const std::uint32_t from[lane_words] = {v.x, v.y, v.z, v.w};
    return {step.word(from, forward, 0), step.word(from, forward, 1), step.word(from, forward, 2),
            step.word(from, forward, 3)};
}

/// Says where a word of a tile or of the layer around it comes from.
struct TileSource {
    std::uint32_t word = 0;  ///< index in device memory
    bool used = false;       ///< edges and corners of the layer are not
    bool forward = false;
    int wrapped = -1;  ///< the axis along which the word wraps, or -1

    /// i: index in shared memory.
    template <int Dimension, class Lattice>
    __device__ __forceinline__ static TileSource of(const Lattice& a, const Tile<Dimension>& tile,
                                                    std::uint32_t i) {
        const std::uint32_t colour = i >= tile.half, j = i - colour * tile.half, above = j / tile.plane,
                            rest = j - above * tile.plane, yy = rest / tile.row, hh = rest - yy * tile.row;
        const int z = Dimension == 3 ? static_cast<int>(above) - 1 : 0, y = static_cast<int>(yy) - 1,
                  x = static_cast<int>(2 * hh + ((colour + yy + above + (Dimension == 3)) & 1)) - 1;
        const int extent[3] = {static_cast<int>(2 * a.row_words), static_cast<int>(a.ny),
                               static_cast<int>(a.nz)};
        int at[3] = {x, y, z}, outside = 0;
        const int size = 1 << tile.bits;
        TileSource source;
#pragma unroll
        for (int d = 0; d < Dimension; ++d) {
            outside += at[d] < 0 || at[d] >= size;
            at[d] += static_cast<int>(tile.origin[d]);
            if (at[d] >= 0 && at[d] < extent[d]) continue;
            source.wrapped = d;
            source.forward = at[d] > 0;
            at[d] = source.forward ? 0 : extent[d] - 1;
        }
        source.used = outside <= 1;
        source.word = colour * a.colour_words + (at[1] + a.ny * at[2]) * a.row_words + at[0] / 2;
        return source;
    }
};

/// Copies the words of the tile and of the layer around it from device memory. A thread loads `Together`
/// words before it stores the first of them.
template <int Together, int Dimension, class Lattice>
__device__ __forceinline__ void load_tile(const Lattice& a, const Tile<Dimension>& tile, const uint4* from,
                                          uint4* to) {
#pragma unroll 1
    for (std::uint32_t first = threadIdx.x; first < 2 * tile.half; first += Together * blockDim.x) {
        TileSource source[Together];
        uint4 v[Together];
#pragma unroll
        for (int k = 0; k < Together; ++k) {
            const std::uint32_t i = first + k * blockDim.x;
            if (i < 2 * tile.half) source[k] = TileSource::of(a, tile, i);
            if (source[k].used) v[k] = from[source[k].word];
        }
#pragma unroll
        for (int k = 0; k < Together; ++k) {
            if (!source[k].used) continue;
            if (source[k].wrapped >= 0) v[k] = stepped(v[k], a.step[source[k].wrapped], source[k].forward);
            to[first + k * blockDim.x] = v[k];
        }
    }
}

/// Calls f(word in device memory, word in shared memory, coordinate of its plane across the last axis) for
/// the words of the tile, without the layer around it.
template <int Dimension, class Lattice, class F>
__device__ __forceinline__ void for_each_word(const Lattice& a, const Tile<Dimension>& tile, const F& f) {
    for (std::uint32_t i = threadIdx.x; i < tile.own_words() / 2; i += blockDim.x) {
        const std::uint32_t colour = i >= tile.own_words() / 4;
        std::uint32_t at[3];
        tile.site(colour ? i - tile.own_words() / 4 : i, colour, at);
        const std::uint32_t row = at[1] + tile.origin[1] + a.ny * (at[2] + tile.origin[2]);
        f(colour * a.colour_words + row * a.row_words + (at[0] + tile.origin[0]) / 2,
          tile.word(colour, at[0], at[1], at[2]), at[Dimension - 1] + tile.origin[Dimension - 1]);
    }
}

/// Copies the words of the tile, without the layer around it, back to device memory.
template <int Dimension, class Lattice>
__device__ __forceinline__ void store_tile(const Lattice& a, const Tile<Dimension>& tile, const uint4* from) {
    for_each_word(a, tile, [&](std::uint32_t word, std::uint32_t shared, std::uint32_t) {
        a.spins[word] = from[shared];
    });
}

/// Sends the words of the tile that are in halos of the neighbours. All updates must be done.
template <int Dimension, class Lattice>
__device__ __forceinline__ void send_tile(const Lattice& a, const Tile<Dimension>& tile,
                                          const SitesPart& part, const uint4* from) {
    for_each_word(a, tile, [&](std::uint32_t word, std::uint32_t shared, std::uint32_t plane) {
        if (part.sends(plane)) send_word(part, plane, word, from[shared]);
    });
}

}  // namespace psflip
