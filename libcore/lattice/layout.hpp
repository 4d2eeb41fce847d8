#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// Checkerboard order of the sites of an L x L x depth lattice (L even; depth = L, or 1 in two dimensions):
/// all red sites ((x+y+z) even), then all black ones; within a colour x/2 + (L/2)(y + L z). The y and z
/// neighbours of consecutive sites of one colour are consecutive.
struct Checkerboard {
    int L;
    int depth = L;

    PSFLIP_HD int half() const { return L / 2; }
    PSFLIP_HD int colour_sites() const { return L * L * depth / 2; }
    PSFLIP_HD static int colour(int x, int y, int z) { return (x + y + z) & 1; }
    /// Position in checkerboard order of site (x, y, z), 0 <= x, y, z < L.
    PSFLIP_HD int index(int x, int y, int z) const {
        return colour(x, y, z) * colour_sites() + (x >> 1) + half() * (y + L * z);
    }
    /// x of the h-th site of a colour in row (y, z).
    PSFLIP_HD static int x_of(int h, int y, int z, int colour) { return 2 * h + ((colour + y + z) & 1); }
};

/// Where the 128-bit spin words of a batch lie: 64-bit words in the order
/// (column, replica, slot / group, site in checkerboard order, slot % group, half of the column).
/// `group` temperatures of one site are neighbours in memory: 4 on the CPU (one 512-bit word), 1 on CUDA.
/// Slots are padded to a multiple of `group`; bit 1 is spin +1.
struct SpinLayout {
    int L, replicas, temperatures, group;
    int depth = L;  ///< planes: 1 in two dimensions

    PSFLIP_HD std::int64_t sites() const { return std::int64_t{L} * L * depth; }
    PSFLIP_HD int groups() const { return (temperatures + group - 1) / group; }
    /// 64-bit words of one lattice group: all sites of `group` slots of one replica and column.
    PSFLIP_HD std::int64_t group_words() const { return sites() * group * 2; }
    PSFLIP_HD std::int64_t column_words() const { return group_words() * groups() * replicas; }
    PSFLIP_HD std::int64_t group_offset(std::int64_t column, int replica, int slot_group) const {
        return ((column * replicas + replica) * groups() + slot_group) * group_words();
    }
    PSFLIP_HD std::int64_t offset(std::int64_t column, int replica, int slot, std::int64_t site) const {
        return group_offset(column, replica, slot / group) + (site * group + slot % group) * 2;
    }
};

/// Coupling words: 64-bit words in the order (column, direction, site in checkerboard order, half of the
/// column): the bond from the site to its neighbour in + direction. Bit 1 is J = -1, so that s ^ s' ^ J is 1
/// for an unsatisfied bond. Words of absent bonds (bit 1: absent) lie likewise, in an array of their own.
struct CouplingLayout {
    int L;
    int dimension = 3;

    PSFLIP_HD std::int64_t sites() const { return std::int64_t{L} * L * (dimension == 3 ? L : 1); }
    PSFLIP_HD std::int64_t column_words() const { return dimension * sites() * 2; }
    PSFLIP_HD std::int64_t offset(std::int64_t column, int direction, std::int64_t site) const {
        return ((column * dimension + direction) * sites() + site) * 2;
    }
};

}  // namespace psflip
