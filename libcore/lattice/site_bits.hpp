#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/datasets.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// Converts the spins of a batch between the form that runs hold in memory and the form of files. Runs hold
// spins as a canonical array (lattice/packing.hpp). For whole lattices with `lanes: sites`, runs hold one bit
// per site instead, and a set bit is spin +1. The words then have the axes (replica, temperature,
// realization, site / 64). The site with index x + L (y + L z) is the bit site % 64 of its word. Files always
// have the canonical form.

/// Returns whether runs hold one bit per site.
inline bool holds_site_bits(const Shape& shape) {
    return shape.coding == Lanes::sites && !shape.is_slab();
}
/// Returns whether several ranks share only the sweeps of lattices, as they do for squares with `lanes:
/// sites`. Every rank then holds all spins, and measures whole lattices.
inline bool share_sweeps_only(const Shape& shape) {
    return shape.coding == Lanes::sites && shape.dimension == 2;
}
/// Returns whether energies overflow 32 bits even in units of 2 (Shape::energy_unit). This happens in two
/// dimensions for L > 46340 with `lanes: sites`. Such batches have one temperature, and their energies are
/// int64 in units of 1.
inline bool has_wide_energies(const Shape& shape) {
    return shape.bonds() / 2 > INT32_MAX;
}
/// Returns the number of words of all spins of a batch in the form that runs hold.
std::int64_t held_words(const Shape& shape);
/// Return the number of words of one lattice with one bit per site, and the index of its first word.
std::int64_t lattice_bit_words(const Shape& shape);
std::int64_t lattice_bits_begin(const Shape& shape, int replica, int slot, std::int64_t realization);

/// Sets `canonical` to the words of the canonical array that begin at index `first`. `bits` holds all spins,
/// with one bit per site. `first` and the number of words are multiples of 64.
void unpack_site_bits(const Shape& shape, std::span<const std::uint64_t> bits, std::int64_t first,
                      std::span<std::uint64_t> canonical);
/// Sets the bits of some sites in `bits`, which holds all spins. `canonical` has the words of these sites in
/// the canonical array, from index `first` on. The bits must be 0 before the call.
void pack_site_bits(const Shape& shape, std::int64_t first, std::span<const std::uint64_t> canonical,
                    std::span<std::uint64_t> bits);

/// Converts the spins of a batch from the canonical array to the form that runs hold. If both forms are
/// equal, the function returns its argument.
std::vector<std::uint64_t> held_of(const Shape& shape, std::vector<std::uint64_t> canonical);

/// The number of words of a piece of a spin array (32 MiB).
inline constexpr std::int64_t spin_piece_words = std::int64_t{1} << 22;
/// Calls f(box, first) for boxes that cover the canonical array of whole lattices, in the order of the array.
/// `first` is the index of the first word of the box.
void for_each_spin_piece(const Shape& shape, const std::function<void(const Box&, std::int64_t)>& f);

/// Returns spins of whole lattices in the form that runs hold. read(box) must return the words of a box of
/// the canonical array.
std::vector<std::uint64_t> read_held_spins(const Shape& shape,
                                           const std::function<std::vector<std::uint64_t>(const Box&)>& read);

/// Returns the spins of random_spins in the form that runs hold.
std::vector<std::uint64_t> random_held_spins(const Shape& shape, std::uint64_t key);

/// Returns Ising spins that are all +1, in the form that runs hold.
std::vector<std::uint64_t> spins_up(const Shape& shape);

/// Returns the lattices of the last slot. `held` has any form whose first axes are (replica, temperature).
std::vector<std::uint64_t> last_slot(const Shape& shape, const std::vector<std::uint64_t>& held);

}  // namespace psflip
