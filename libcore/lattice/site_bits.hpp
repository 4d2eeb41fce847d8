#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/datasets.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// Converts the spins of a batch between the forms of runs and files. Runs hold spins as a canonical array
// (lattice/packing.hpp). For whole lattices with `lanes: sites`, runs hold one bit per site instead, 1 for
// +1. The words then have the axes (replica, temperature, realization, site / 64), with bit site % 64 and
// site = x + L (y + L z). Files always have the canonical form.

/// Returns whether runs hold one bit per site.
inline bool holds_site_bits(const Shape& shape) {
    return shape.coding == Lanes::sites && !shape.is_slab();
}
/// Returns whether energies overflow 32 bits even in units of 2 (Shape::energy_unit). This happens for
/// squares of L > 46340 with `lanes: sites`. Then there is one temperature, and energies are int64 in units
/// of 1.
inline bool has_wide_energies(const Shape& shape) {
    return shape.bonds() / 2 > INT32_MAX;
}
/// Returns the number of words of all spins in the form that runs hold.
std::int64_t held_words(const Shape& shape);
/// Return the number of words of one lattice with one bit per site, and the index of its first word.
std::int64_t lattice_bit_words(const Shape& shape);
std::int64_t lattice_bits_begin(const Shape& shape, int replica, int slot, std::int64_t realization);

/// Converts bits to words of the canonical array from index `first` on. The words are a multiple of 64
/// consecutive sites of a lattice.
void unpack_site_bits(const Shape& shape, std::span<const std::uint64_t> bits, std::int64_t first,
                      std::span<std::uint64_t> canonical);
/// Adds words of the canonical array from index `first` on to `bits`. These bits must be 0 before.
void pack_site_bits(const Shape& shape, std::int64_t first, std::span<const std::uint64_t> canonical,
                    std::span<std::uint64_t> bits);

/// Convert between the whole canonical array and the form that runs hold. They copy if both forms are equal.
std::vector<std::uint64_t> canonical_of(const Shape& shape, const std::vector<std::uint64_t>& held);
std::vector<std::uint64_t> held_of(const Shape& shape, std::vector<std::uint64_t> canonical);

/// The number of words of a piece of a spin array (32 MiB).
inline constexpr std::int64_t spin_piece_words = std::int64_t{1} << 22;
/// Calls f(box, index of the first word) for boxes that cover the canonical array of whole lattices, in its
/// order.
void for_each_spin_piece(const Shape& shape, const std::function<void(const Box&, std::int64_t)>& f);

/// Returns spins of whole lattices in the form that runs hold. read(box) returns words of the canonical
/// array.
std::vector<std::uint64_t> read_held_spins(const Shape& shape,
                                           const std::function<std::vector<std::uint64_t>(const Box&)>& read);

/// Returns the spins of random_spins in the form that runs hold.
std::vector<std::uint64_t> random_held_spins(const Shape& shape, std::uint64_t key);

/// Returns Ising spins that are all +1, in the form that runs hold.
std::vector<std::uint64_t> spins_up(const Shape& shape);

/// Returns the lattices of the last slot of an array in any form with the axes (replica, temperature).
std::vector<std::uint64_t> last_slot(const Shape& shape, const std::vector<std::uint64_t>& held);

}  // namespace psflip
