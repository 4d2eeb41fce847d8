#pragma once

#include <cstdint>

#include "config/choices.hpp"
#include "lattice/site_order.hpp"

namespace psflip {

/// A column is the working unit of memory: 128 realizations, one bit each.
inline constexpr int column_bits = 128;

/// How spins stand in files and in canonical arrays.
enum class SpinForm {
    bits,    ///< a bit each, 64 realizations in a word
    floats,  ///< real components, the word that of the double of a float
    doubles  ///< likewise, of a double
};

/// Halo planes on either side of a slab: what one sweep of both colours depends on.
inline constexpr int halo_depth = 2;

/// Sizes of one batch: everything that memory layouts and loops depend on.
struct Shape {
    int L = 0;                           ///< even (the sweeps take 4..1024)
    int replicas = 1;                    ///< 1..8
    int temperatures = 1;                ///< 1..64
    std::int64_t realizations = 0;       ///< in this batch
    std::int64_t first_realization = 0;  ///< a multiple of max(share, 32)
    int share = 128;                     ///< 1, 32, 64, 128: realizations per random number
    int dimension = 3;                   ///< 3, or 2: one plane, z = 0
    SiteOrder order = SiteOrder::standard;
    /// Of a slab, a part of every lattice of the batch: its planes across the last coordinate of the order.
    int first_plane = 0;                 ///< even
    int slab_planes = 0;                 ///< even; 0: there is no slab, whole lattices are held
    Lanes coding = Lanes::realizations;  ///< replicas and sites: share is 1
    int tile = 0, hits = 1;              ///< of a double checkerboard, with sites only: sweep/sites
    SpinForm form = SpinForm::bits;
    int components = 1;  ///< of a spin

    /// Planes of the whole lattice: extent along z.
    int depth() const { return dimension == 3 ? L : 1; }
    /// Of the whole lattice.
    std::int64_t sites() const { return std::int64_t{L} * L * depth(); }
    /// Of the whole lattice, where all are there.
    std::int64_t bonds() const { return dimension * sites(); }
    /// Numbers of bonds, and energies of bonds, are held as int32 in this unit: 1, or 2 where they would have
    /// no room (L > 894 in three dimensions, where every bond must be there, so that they are even).
    int energy_unit() const { return bonds() > INT32_MAX ? 2 : 1; }
    bool is_slab() const { return slab_planes > 0; }
    /// Planes, and sites of one lattice, that belong here.
    int own_planes() const { return is_slab() ? slab_planes : depth(); }
    std::int64_t own_sites() const { return std::int64_t{L} * L * own_planes(); }
    /// Planes of neighbouring slabs below and above the own ones, of which copies are held.
    int halo_planes() const { return is_slab() ? halo_depth : 0; }
    int held_planes() const { return own_planes() + 2 * halo_planes(); }
    std::int64_t held_sites() const { return std::int64_t{L} * L * held_planes(); }
    std::int64_t columns() const { return (realizations + column_bits - 1) / column_bits; }
    std::int64_t lanes() const { return columns() * column_bits; }
    std::int64_t packs64() const { return (realizations + 63) / 64; }
    bool has_vectors() const { return form != SpinForm::bits; }
    int pairs_of_replicas() const { return replicas * (replicas - 1) / 2; }
    /// Elements of the canonical spin array (replica, temperature, pack64, z, y, x), of a slab with its own
    /// planes only; of vectors (replica, temperature, realization, component, z, y, x).
    std::int64_t spin_words() const {
        return (has_vectors() ? realizations * components : packs64()) * replicas * temperatures *
               own_sites();
    }
    bool operator==(const Shape&) const = default;
};

}  // namespace psflip
