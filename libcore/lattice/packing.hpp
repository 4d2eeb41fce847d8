#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lattice/layout.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// Converts couplings and spins between arrays and bit-packed words. Arrays of whole lattices have the axes
// (z, y, x). Arrays of a slab have the axes (w, v, u), in the coordinates of the site order. Couplings cover
// all planes in memory, and spins cover the own planes.

/// Packs the couplings of a batch into words of CouplingLayout. The couplings are int8 (realization,
/// direction, z, y, x), without z in two dimensions. The result has columns() * column_words() words, with a
/// set bit for J = -1. Lanes after the last realization get J = +1. Errors: InputError with realization,
/// direction and site for values other than +1, -1 and 0.
std::vector<std::uint64_t> pack_couplings(const Shape& shape, std::span<const std::int8_t> couplings);

/// Returns whether any bond is absent (has coupling 0).
bool has_absent_bonds(std::span<const std::int8_t> couplings);
/// Returns the number of absent bonds that start at own sites, for each realization.
std::vector<std::int32_t> count_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings);
/// Packs absent bonds into words of CouplingLayout, with a set bit for J = 0. Lanes after the last
/// realization have no absent bonds.
std::vector<std::uint64_t> pack_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings);

/// Returns the extents of the axes of the canonical array of spins of whole lattices. The axes are (replica,
/// temperature, pack64, z, y, x), without z in two dimensions. For vector spins, realization and component
/// replace pack64.
std::vector<std::int64_t> canonical_extents(const Shape& shape);

/// Convert spins between the canonical array uint64 (replica, temperature, pack64, [z,] y, x) and words of
/// `layout`. The bits of halos, of slots after the last temperature and of lanes after the last realization
/// are 0.
std::vector<std::uint64_t> pack_spins(const Shape& shape, const SpinLayout& layout,
                                      const std::vector<std::uint64_t>& canonical);
std::vector<std::uint64_t> unpack_spins(const Shape& shape, const SpinLayout& layout,
                                        const std::uint64_t* words);

/// Returns random initial spins of a batch as a canonical array. The random numbers have the purpose
/// initial_spins (random/purposes.hpp) and the key of the model (Model::random_key).
std::vector<std::uint64_t> random_spins(const Shape& shape, std::uint64_t key);

}  // namespace psflip
