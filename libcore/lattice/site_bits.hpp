#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/datasets.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// Converts the spins of a batch between the form that runs hold and files. Runs hold them in the canonical
// form (lattice/packing.hpp) or, for whole lattices with `lanes: sites`, with one bit per site, 1 for +1:
// (replica, temperature, realization; site / 64), bit site % 64, site = x + L (y + L z). Files have the
// canonical form in both cases.

/// Returns whether runs hold the spins with one bit per site.
inline bool holds_site_bits(const Shape& shape) {
    return shape.coding == Lanes::sites && !shape.is_slab();
}
/// Returns whether energies overflow 32 bits even in units of 2 J (Shape::energy_unit), as in large squares
/// with `lanes: sites`. Then there is one temperature, and energies are int64 in units of J.
inline bool has_wide_energies(const Shape& shape) {
    return shape.bonds() / 2 > INT32_MAX;
}
/// Returns the number of words of all spins in the form that runs hold.
std::int64_t held_words(const Shape& shape);
/// Return the number of words of one lattice with one bit per site, and the index of its first word.
std::int64_t lattice_bit_words(const Shape& shape);
std::int64_t lattice_bits_begin(const Shape& shape, int replica, int slot, std::int64_t realization);

/// Writes the words of the canonical array from number `first` on to `canonical`, made from bits. They are
/// whole words of 64 sites of a lattice.
void unpack_site_bits(const Shape& shape, std::span<const std::uint64_t> bits, std::int64_t first,
                      std::span<std::uint64_t> canonical);
/// Writes canonical words, from number `first` on, into `bits`, which must be 0 there.
void pack_site_bits(const Shape& shape, std::int64_t first, std::span<const std::uint64_t> canonical,
                    std::span<std::uint64_t> bits);

/// Convert the whole canonical array to the form that runs hold, and back. They copy if the forms are equal.
std::vector<std::uint64_t> canonical_of(const Shape& shape, const std::vector<std::uint64_t>& held);
std::vector<std::uint64_t> held_of(const Shape& shape, std::vector<std::uint64_t> canonical);

/// Number of words of a piece of 32 MiB.
inline constexpr std::int64_t spin_piece_words = std::int64_t{1} << 22;
/// Calls f(box, number of its first word) for boxes that cover the canonical array of whole lattices in its
/// order.
void for_each_spin_piece(const Shape& shape, const std::function<void(const Box&, std::int64_t)>& f);

/// Returns spins of whole lattices in the form that runs hold. read(box) returns words of the canonical
/// array.
std::vector<std::uint64_t> read_held_spins(const Shape& shape,
                                           const std::function<std::vector<std::uint64_t>(const Box&)>& read);

/// Returns the random start of random_spins in the form that runs hold.
std::vector<std::uint64_t> random_held_spins(const Shape& shape, std::uint64_t key);

/// Returns Ising spins that are all +1, in the form that runs hold.
std::vector<std::uint64_t> spins_up(const Shape& shape);

/// Returns the lattices of the last slot, in any form with the axes (replica, temperature).
std::vector<std::uint64_t> last_slot(const Shape& shape, const std::vector<std::uint64_t>& held);

}  // namespace psflip
