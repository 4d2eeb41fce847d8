#pragma once

// Says where spins and couplings of a batch are in memory.

#include <cstdint>

#include "base/host_device.hpp"
#include "lattice/shape.hpp"
#include "lattice/site_order.hpp"

namespace psflip {

/// Describes the planes of an L x L x L lattice (L x L x 1 in two dimensions) that are in memory, and the
/// indices of their sites. A plane has an index in memory, w, which counts from the first plane in memory,
/// and an index in the lattice. L is even. In three dimensions, the first plane in memory is even, too,
/// because slabs begin at even planes and halos have an even depth. So both indices of a plane have the same
/// parity.
struct HeldLattice {
    int L;
    int depth = L;  ///< planes in memory
    SiteOrder order = SiteOrder::standard;
    int first = 0;  ///< lattice index of the first plane in memory, 0 to L - 1
    int begin = 0;  ///< own planes are begin to end - 1; all other planes in memory are halos
    int end = depth;

    static HeldLattice of(const Shape& shape) {
        const int halo = shape.halo_planes();
        return {shape.L, shape.held_planes(),       shape.order, wrapped(shape.first_plane - halo, shape.L),
                halo,    shape.held_planes() - halo};
    }

    bool sliced() const { return order == SiteOrder::sliced; }
    std::int64_t colour_sites() const { return std::int64_t{L} * L * depth / 2; }
    /// Returns the index in memory of the site (u, v) of plane w in memory. u, v are coordinates of `order`.
    /// All red sites precede all black sites.
    std::int64_t index(int u, int v, int w) const {
        if (sliced()) return (w & 1) * colour_sites() + u + L * (v + std::int64_t{L} * (w >> 1));
        return ((u + v + w) & 1) * colour_sites() + (u >> 1) + L / 2 * (v + std::int64_t{L} * w);
    }
    /// Returns (x, y, z) of the site (u, v) of plane w in memory.
    Coordinates site(int u, int v, int w) const { return from_order(order, L, {u, v, plane(w)}); }
    /// Returns the index in the lattice of plane w in memory.
    int plane(int w) const { return (first + w) % L; }

    /// Return the index of the first site of one colour in plane w, and how many sites of this colour the
    /// plane has. In the sliced order, a plane has sites of one colour only.
    std::int64_t plane_begin(int colour, int w) const {
        return colour * colour_sites() + std::int64_t{L} * L / 2 * (sliced() ? w & ~1 : w);
    }
    std::int64_t plane_sites(int colour, int w) const {
        if (sliced()) return (w & 1) == colour ? std::int64_t{L} * L : 0;
        return std::int64_t{L} * L / 2;
    }
};

/// Computes indices of the spin words of a batch. A column is 128 consecutive realizations: two 64-bit words,
/// one bit for each realization. The 64-bit words have the axes (column, replica, slot / group, site in site
/// order, slot % group, half of the column). `group` temperatures of one site are
/// neighbours in memory: 4 on CPUs (one 512-bit word), 1 with CUDA. Slots are padded to a multiple of
/// `group`. A set bit is spin +1.
struct SpinLayout {
    int L, replicas, temperatures, group;
    int depth = L;  ///< planes in memory: 1 in two dimensions
    SiteOrder order = SiteOrder::standard;

    static SpinLayout of(const Shape& shape, int group) {
        return {shape.L, shape.replicas, shape.temperatures, group, shape.held_planes(), shape.order};
    }

    PSFLIP_HD std::int64_t sites() const { return std::int64_t{L} * L * depth; }
    PSFLIP_HD int groups() const { return (temperatures + group - 1) / group; }
    /// Returns the number of 64-bit words of all sites in memory, for `group` slots of one replica and
    /// column.
    PSFLIP_HD std::int64_t group_words() const { return sites() * group * 2; }
    PSFLIP_HD std::int64_t column_words() const { return group_words() * groups() * replicas; }
    PSFLIP_HD std::int64_t group_offset(std::int64_t column, int replica, int slot_group) const {
        return ((column * replicas + replica) * groups() + slot_group) * group_words();
    }
    PSFLIP_HD std::int64_t offset(std::int64_t column, int replica, int slot, std::int64_t site) const {
        return group_offset(column, replica, slot / group) + (site * group + slot % group) * 2;
    }
};

/// Computes indices of the coupling words. The 64-bit words have the axes (column, direction, site in site
/// order, half of the column). Each bit is the bond from the site to its neighbour in positive direction. A
/// set bit is J = -1, so s ^ s' ^ J is 1 for an unsatisfied bond between the spins s and s'. The words of
/// absent bonds (set bit: absent) are another array of this layout.
struct CouplingLayout {
    int L;
    int dimension = 3;
    int depth = dimension == 3 ? L : 1;  ///< planes in memory

    static CouplingLayout of(const Shape& shape) { return {shape.L, shape.dimension, shape.held_planes()}; }

    PSFLIP_HD std::int64_t sites() const { return std::int64_t{L} * L * depth; }
    PSFLIP_HD std::int64_t column_words() const { return dimension * sites() * 2; }
    PSFLIP_HD std::int64_t offset(std::int64_t column, int direction, std::int64_t site) const {
        return ((column * dimension + direction) * sites() + site) * 2;
    }
};

}  // namespace psflip
