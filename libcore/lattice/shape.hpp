#pragma once

// Defines Shape: the sizes of a batch, for sweeps, measurements and files.

#include <cstdint>

#include "config/choices.hpp"
#include "lattice/site_order.hpp"

namespace psflip {

/// The number of realizations of a column. Each realization is one bit of the 128-bit words of the column.
inline constexpr int column_bits = 128;

/// Selects the form of spins in files and in canonical arrays.
enum class SpinForm {
    bits,    ///< one bit per spin, 64 realizations in a word
    floats,  ///< real components of float precision, each stored as the bits of a double
    doubles  ///< real components, each stored as the bits of a double
};

/// The number of halo planes on each side of a slab. A sweep of both colours depends on spins at most two
/// planes away.
inline constexpr int halo_depth = 2;

/// Names the colours that come first in a step of the double checkerboard: of the tiles, and of the sites in
/// each update of a tile.
struct FirstColours {
    int tiles, sites;
};
constexpr FirstColours first_colours(TileOrder order, std::int64_t step) {
    const int odd = static_cast<int>(step & 1);
    return {order == TileOrder::fixed ? 0 : odd, order == TileOrder::reversed ? odd : 0};
}

/// Holds the sizes of one batch, which determine memory layouts and loops.
struct Shape {
    int L = 0;                      ///< even; 4 to limits::max_L, or to limits::max_site_L with Lanes::sites
    int replicas = 1;               ///< 1 to 8
    int temperatures = 1;           ///< 1 to 64
    std::int64_t realizations = 0;  ///< number in this batch
    std::int64_t first_realization = 0;  ///< number in the study; a multiple of max(share, 32)
    int share = 128;                     ///< realizations per random number: 1, 32, 64 or 128
    int dimension = 3;                   ///< 3, or 2 with one plane, z = 0
    SiteOrder order = SiteOrder::standard;
    /// A slab holds consecutive planes of every lattice of the batch, counted along the last coordinate of
    /// the site order.
    int first_plane = 0;                 ///< even
    int slab_planes = 0;                 ///< even; 0: whole lattices
    Lanes coding = Lanes::realizations;  ///< Lanes::replicas and Lanes::sites need share = 1
    int tile = 0, hits = 1;              ///< edge of tiles (0: no tiles) and hits, see dynamics.tile
    TileOrder tile_order = TileOrder::fixed;
    SpinForm form = SpinForm::bits;
    int components = 1;  ///< components of a spin

    /// Returns the number of planes of the whole lattice along z.
    int depth() const { return dimension == 3 ? L : 1; }
    /// Returns the number of sites of the whole lattice.
    std::int64_t sites() const { return std::int64_t{L} * L * depth(); }
    /// Returns the number of bonds of the whole lattice, including absent bonds.
    std::int64_t bonds() const { return dimension * sites(); }
    /// Returns the unit in which int32 holds energies and numbers of bonds. It is 1, or 2 if int32 would
    /// overflow: for L > 894 in three dimensions and L > 32767 in two dimensions. Such lattices have no
    /// absent bonds, so energies and numbers of bonds are even. With has_wide_energies, energies are int64 in
    /// units of 1 instead.
    int energy_unit() const { return bonds() > INT32_MAX ? 2 : 1; }
    /// Returns whether the batch has slabs of lattices instead of whole lattices.
    bool is_slab() const { return slab_planes > 0; }
    /// Return the number of own planes, and the number of sites of one lattice in these planes. All planes of
    /// a whole lattice are own planes.
    int own_planes() const { return is_slab() ? slab_planes : depth(); }
    std::int64_t own_sites() const { return std::int64_t{L} * L * own_planes(); }
    /// Returns the number of halo planes on each side: copies of planes of the neighbouring slabs.
    int halo_planes() const { return is_slab() ? halo_depth : 0; }
    /// Return the number of own planes and halo planes, and the number of sites of one lattice in them.
    int held_planes() const { return own_planes() + 2 * halo_planes(); }
    std::int64_t held_sites() const { return std::int64_t{L} * L * held_planes(); }
    /// Return the number of columns, the number of their lanes (with padding after the last realization), and
    /// the number of 64-bit words with one bit for each realization.
    std::int64_t columns() const { return (realizations + column_bits - 1) / column_bits; }
    std::int64_t lanes() const { return columns() * column_bits; }
    std::int64_t packs64() const { return (realizations + 63) / 64; }
    bool has_vectors() const { return form != SpinForm::bits; }
    int pairs_of_replicas() const { return replicas * (replicas - 1) / 2; }
    /// Returns the number of elements of the canonical spin array (replica, temperature, pack64, z, y, x),
    /// with own planes only. pack64 is the number of a 64-bit word of realizations. For vector spins the axes
    /// are (replica, temperature, realization, component, z, y, x).
    std::int64_t spin_words() const {
        return (has_vectors() ? realizations * components : packs64()) * replicas * temperatures *
               own_sites();
    }
    bool operator==(const Shape&) const = default;
};

}  // namespace psflip
