#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/datasets.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// How runs hold the spins of a batch between its lattices and its files: canonical (lattice/packing.hpp), but
// of whole lattices whose sites are lanes a bit for each site, 1 where +1: (replica, temperature,
// realization; site / 64), bit site % 64, site = x + L (y + L z). Files are the same.

inline bool holds_site_bits(const Shape& shape) {
    return shape.coding == Lanes::sites && !shape.is_slab();
}
/// Whether energies have no room in 32 bits even in units of 2 (Shape::energy_unit): of squares whose sites
/// are lanes. Then there is one temperature, and energies are int64 in units of 1.
inline bool has_wide_energies(const Shape& shape) {
    return shape.bonds() / 2 > INT32_MAX;
}
/// Words of all spins in the form that runs hold.
std::int64_t held_words(const Shape& shape);
/// Words of one lattice of bits, and where they begin.
std::int64_t lattice_bit_words(const Shape& shape);
std::int64_t lattice_bits_begin(const Shape& shape, int replica, int slot, std::int64_t realization);

/// Words number first, ... of the canonical array, from bits; whole words of 64 sites of a lattice.
void unpack_site_bits(const Shape& shape, std::span<const std::uint64_t> bits, std::int64_t first,
                      std::span<std::uint64_t> canonical);
/// And back, to bits that are 0.
void pack_site_bits(const Shape& shape, std::int64_t first, std::span<const std::uint64_t> canonical,
                    std::span<std::uint64_t> bits);

/// The whole canonical array of spins in the form that runs hold, and back: copies where that is the same.
std::vector<std::uint64_t> canonical_of(const Shape& shape, const std::vector<std::uint64_t>& held);
std::vector<std::uint64_t> held_of(const Shape& shape, std::vector<std::uint64_t> canonical);

/// Words of a piece of some MiB.
inline constexpr std::int64_t spin_piece_words = std::int64_t{1} << 22;
/// Calls f(box, number of its first word) for such boxes, which cover the canonical array of whole
/// lattices in its order.
void for_each_spin_piece(const Shape& shape, const std::function<void(const Box&, std::int64_t)>& f);

/// Spins of whole lattices in the form that runs hold, of which read(box) gives words of the canonical array.
std::vector<std::uint64_t> read_held_spins(const Shape& shape,
                                           const std::function<std::vector<std::uint64_t>(const Box&)>& read);

/// The random start of random_spins in the form that runs hold.
std::vector<std::uint64_t> random_held_spins(const Shape& shape, std::uint64_t key);

/// Returns Ising spins that are all +1, in the form that runs hold.
std::vector<std::uint64_t> spins_up(const Shape& shape);

/// The lattices of the last slot alone, of any form that holds them by (replica, temperature).
std::vector<std::uint64_t> last_slot(const Shape& shape, const std::vector<std::uint64_t>& held);

}  // namespace psflip
