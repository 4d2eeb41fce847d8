#pragma once

#include <cstdint>
#include <numeric>

#include "base/host_device.hpp"
#include "lattice/layout.hpp"
#include "lattice/shape.hpp"

namespace psflip {

/// Describes the memory of words whose lanes are the (replica, slot) pairs of one realization. The lane
/// replica * temperatures + slot is bit lane % 32 of word lane / 32 of a site. A set bit is spin +1.
///
/// 32-bit words have the order (realization, colour, plane w, row v, site of the row, word of the site). Rows
/// are padded to whole units of 16 words. Two units lie before and after each colour, so that vector loads
/// may reach beyond a row. Lanes beyond the last pair and padded words have no meaning.
struct ReplicaLayout {
    static constexpr int unit = 16;         ///< words
    static constexpr int guard = 2 * unit;  ///< words
    static constexpr int max_words = 16;  ///< maximum number of words of a site: 8 replicas, 64 temperatures

    int L, replicas, temperatures;
    int depth = L;  ///< planes that are held
    int dimension = 3;

    static ReplicaLayout of(const Shape& shape) {
        return {shape.L, shape.replicas, shape.temperatures, shape.held_planes(), shape.dimension};
    }

    PSFLIP_HD int degree() const { return 2 * dimension; }
    PSFLIP_HD int lanes() const { return replicas * temperatures; }
    /// Returns the number of words of a site.
    PSFLIP_HD int words() const { return (lanes() + 31) / 32; }
    PSFLIP_HD int row_words() const { return L / 2 * words(); }
    PSFLIP_HD int row_stride() const { return (row_words() + unit - 1) / unit * unit; }
    /// Returns the least common multiple of `unit` and words(), at most 240. At its multiples, a unit of a
    /// row begins with word 0 of a site.
    int period() const { return std::lcm(unit, words()); }
    PSFLIP_HD int rows() const { return L * depth; }
    /// Returns the number of words of a colour of one realization, with the units after it.
    PSFLIP_HD std::int64_t colour_words() const { return std::int64_t{rows()} * row_stride() + guard; }
    PSFLIP_HD std::int64_t lattice_words() const { return 2 * colour_words() + guard; }
    /// Returns the index of the first word of row number v + L w.
    PSFLIP_HD std::int64_t row(int colour, int number) const {
        return guard + colour * colour_words() + std::int64_t{number} * row_stride();
    }
    /// Returns the index of word 0 of a site.
    std::int64_t offset(int u, int v, int w) const {
        return row((u + v + w) & 1, v + L * w) + std::int64_t{u >> 1} * words();
    }

    /// Bonds have a bit for every word of a row, because a bond is equal for all lanes. A uint16 has the bits
    /// of the 16 words of a unit. The order is (realization, colour, row, unit of the row, direction).
    /// Direction 0 is to the neighbour along x with the same index in its row, and direction 1 to the other
    /// neighbour along x. The next directions are to y + 1, y - 1, z + 1, z - 1.
    PSFLIP_HD std::int64_t bond_units() const { return lattice_words() / unit * degree(); }
    PSFLIP_HD std::int64_t bond_row(int colour, int number) const {
        return row(colour, number) / unit * degree();
    }
    int units() const { return row_stride() / unit; }
    /// Returns true if the other neighbour along x is at x + 1 (next in its row), false if it is at x - 1.
    PSFLIP_HD static bool other_is_next(int colour, int v, int w) { return ((colour + v + w) & 1) != 0; }
};

}  // namespace psflip
