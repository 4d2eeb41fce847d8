#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lattice/layout.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// Converts couplings and spins between files and words. Arrays of a slab run over its planes and (v, u) in
// coordinates of its site order instead of (z, y, x): couplings over all planes in memory, spins over the own
// planes.

/// Packs couplings of a batch, int8 (realization, direction, z, y, x), without z in two dimensions, into
/// words of CouplingLayout: columns() * column_words() words, bit 1 for J = -1. Lanes after the last
/// realization get J = +1. Errors: InputError with realization, direction and site for values other than +1,
/// -1 and 0.
std::vector<std::uint64_t> pack_couplings(const Shape& shape, std::span<const std::int8_t> couplings);

/// Returns whether any bond is absent, that is whether a coupling is 0.
bool has_absent_bonds(std::span<const std::int8_t> couplings);
/// Returns the number of absent bonds that start at own sites, (realization).
std::vector<std::int32_t> count_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings);
/// Packs absent bonds into words: bit 1 for J = 0. Lanes after the last realization have no absent bonds.
std::vector<std::uint64_t> pack_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings);

/// Returns the extents of the canonical array of spins of whole lattices: replica, temperature, pack64, z, y,
/// x, without z in two dimensions. Vector spins have realization and component instead of pack64.
std::vector<std::int64_t> canonical_extents(const Shape& shape);

/// Convert spins from the canonical array uint64 (replica, temperature, pack64, [z,] y, x) to words of
/// `layout`, and back. Bits after the last realization, padded slots and lanes, and halos are 0.
std::vector<std::uint64_t> pack_spins(const Shape& shape, const SpinLayout& layout,
                                      const std::vector<std::uint64_t>& canonical);
std::vector<std::uint64_t> unpack_spins(const Shape& shape, const SpinLayout& layout,
                                        const std::uint64_t* words);

/// Returns the random start of a batch in canonical form. It uses purpose initial_spins (random/purposes.hpp)
/// and the key of the batch's model (Model::random_key).
std::vector<std::uint64_t> random_spins(const Shape& shape, std::uint64_t key);

}  // namespace psflip
