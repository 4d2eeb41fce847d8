// Describes tiles of one large lattice, within which blocks find clusters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace psflip {

/// Holds a lattice as bits in rows along x. Bit i of word w belongs to site 32 w + i.
struct TiledBits {
    std::uint32_t L, depth;  ///< depth: 1 in two dimensions
    std::uint32_t words;     ///< sites / 32, up to 2^27
    std::uint32_t* spins;    ///< the other arrays of bits follow, `words` words each
    std::uint16_t* within;   ///< (tile, site in the tile): label within the tile
    std::uint32_t* labels;   ///< (site): set at sites that are labels within tiles
    std::uint32_t* wolff_root;

    /// Returns the arrays of the lattice blockIdx.y.
    __device__ TiledBits of_block() const {
        TiledBits of = *this;
        const std::size_t lattice = blockIdx.y;
        of.spins += lattice * (depth == 1 ? 4 : 5) * words;
        of.within += lattice * 32 * words;
        of.labels += lattice * 32 * words;
        of.wolff_root += lattice;
        return of;
    }
    __device__ std::uint32_t* new_spins() const { return spins + words; }
    /// Returns the active bonds that leave tiles in a direction. Words of other sites are undefined.
    __device__ std::uint32_t* bonds(std::uint32_t direction) const {
        return spins + (2 + std::size_t{direction}) * words;
    }
};

/// The extents of a tile, its sites, and the sites at its border. Extents are powers of two that divide L.
/// Within a tile, sites have numbers in the order of their numbers in the lattice.
template <int Directions>
struct ClusterTile {
    static constexpr std::uint32_t x = Directions == 2 ? 64 : 32, y = Directions == 2 ? 64 : 16,
                                   z = Directions == 2 ? 1 : 16, row_words = x / 32, sites = x * y * z,
                                   words = sites / 32,
                                   border = sites - (x - 2) * (y - 2) * (Directions == 2 ? 1 : z - 2);

    std::uint32_t x0, y0, z0;  ///< the first site

    __device__ static ClusterTile of_block(const TiledBits& a) {
        const std::uint32_t nx = a.L / x, ny = a.L / y, row = blockIdx.x / nx, plane = row / ny;
        return {(blockIdx.x - row * nx) * x, (row - plane * ny) * y, plane * z};
    }
    /// Returns the tile of a site of the lattice, and sets its number in the tile.
    __device__ static ClusterTile of_site(const TiledBits& a, std::uint32_t site, std::uint32_t& in_tile) {
        const std::uint32_t row = site / a.L, gz = row / a.L, gx = site - row * a.L, gy = row - gz * a.L;
        in_tile = gx % x + x * (gy % y + y * (gz % z));
        return {gx - gx % x, gy - gy % y, gz - gz % z};
    }
    /// Returns the label within the tile of each of its sites.
    __device__ std::uint16_t* within(const TiledBits& a) const {
        const std::size_t number = x0 / x + a.L / x * (y0 / y + a.L / y * (z0 / z));
        return a.within + number * sites;
    }
    /// Returns the label within its tile of a site of the lattice, as a site of the lattice.
    __device__ static std::uint32_t label_of(const TiledBits& a, std::uint32_t site) {
        std::uint32_t in_tile;
        const ClusterTile tile = of_site(a, site, in_tile);
        return tile.site(a, tile.within(a)[in_tile]);
    }
    /// Returns the number in the lattice of a site of the tile.
    __device__ std::uint32_t site(const TiledBits& a, std::uint32_t in_tile) const {
        const std::uint32_t row = in_tile / x;
        return x0 + in_tile % x + a.L * (y0 + row % y + a.L * (z0 + row / y));
    }
};

/// Finds the word of a tile whose number is q.
template <int Directions>
struct ClusterTileWord {
    using Of = ClusterTile<Directions>;
    std::uint32_t wx, y, z;  ///< in the tile
    std::uint32_t word;      ///< in the lattice

    __device__ __forceinline__ ClusterTileWord(const TiledBits& a, const Of& tile, std::uint32_t q)
        : wx(q % Of::row_words),
          y(q / Of::row_words % Of::y),
          z(q / Of::row_words / Of::y),
          word((((tile.z0 + z) * a.L + tile.y0 + y) * a.L + tile.x0) / 32 + wx) {}
    /// Returns whether some of the sites `first`, ..., `last` of the word are at the border of the tile.
    __device__ __forceinline__ bool is_border(std::uint32_t first, std::uint32_t last) const {
        return y == 0 || y + 1 == Of::y || (Directions == 3 && (z == 0 || z + 1 == Of::z)) ||
               (wx == 0 && first == 0) || (wx + 1 == Of::row_words && last == 31);
    }
};

/// Holds the spins of a tile, and of the next words along each axis.
template <int Directions>
struct ClusterTileSpins {
    using Of = ClusterTile<Directions>;
    static constexpr std::uint32_t row = Of::row_words + 1, plane = row * (Of::y + 1),
                                   words = Directions == 2 ? plane : plane * (Of::z + 1);
    std::uint32_t word[words];

    __device__ __forceinline__ void load(const TiledBits& a, const Of& tile) {
        const auto wrapped = [](std::uint32_t i, std::uint32_t end) { return i >= end ? i - end : i; };
        for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
            const std::uint32_t x = wrapped(tile.x0 / 32 + i % row, a.L / 32),
                                y = wrapped(tile.y0 + i / row % (Of::y + 1), a.L),
                                z = wrapped(tile.z0 + i / plane, a.depth);
            word[i] = a.spins[(z * a.L + y) * (a.L / 32) + x];
        }
    }
    /// Returns the index of word q of the tile.
    __device__ __forceinline__ static std::uint32_t index(std::uint32_t q) {
        return q % Of::row_words + row * (q / Of::row_words % Of::y) + plane * (q / Of::row_words / Of::y);
    }
};

}  // namespace psflip
