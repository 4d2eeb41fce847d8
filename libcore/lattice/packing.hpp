#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lattice/layout.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// Arrays of a slab run over its planes and (v, u) in coordinates of its site order, in place of (z, y, x):
// couplings over all held planes, spins over the own ones.

/// Couplings of a batch from int8 (realization, direction, z, y, x), without z in two dimensions, each +1, -1
/// or 0, to words of CouplingLayout (columns() * column_words() of them), bit 1 where J = -1. Lanes beyond
/// the last realization get J = +1. Throws InputError for any other value, naming realization, direction and
/// site.
std::vector<std::uint64_t> pack_couplings(const Shape& shape, std::span<const std::int8_t> couplings);

/// Whether a bond is absent: a coupling 0.
bool has_absent_bonds(std::span<const std::int8_t> couplings);
/// How many start at the own sites, by realization.
std::vector<std::int32_t> count_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings);
/// Likewise the words of absent bonds, bit 1 where J = 0. In lanes beyond the last realization none is.
std::vector<std::uint64_t> pack_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings);

/// Extents of the canonical array of spins of whole lattices: replica, temperature, pack64, z, y, x, without
/// z in two dimensions; of vectors realization, component in the place of pack64.
std::vector<std::int64_t> canonical_extents(const Shape& shape);

/// Spins from the canonical array uint64 (replica, temperature, pack64, [z,] y, x) to words of `layout`, and
/// back. Bits beyond the last realization of the canonical array are 0; padded slots and lanes of the layout
/// and halos are 0.
std::vector<std::uint64_t> pack_spins(const Shape& shape, const SpinLayout& layout,
                                      const std::vector<std::uint64_t>& canonical);
std::vector<std::uint64_t> unpack_spins(const Shape& shape, const SpinLayout& layout,
                                        const std::uint64_t* words);

/// The random start of a batch in canonical form: purpose initial_spins (see random/purposes.hpp) with the
/// key of the batch's model (Model::random_key; the campaign's seed for the first model).
std::vector<std::uint64_t> random_spins(const Shape& shape, std::uint64_t key);

}  // namespace psflip
