#pragma once

#include <cstdint>
#include <vector>

#include "lattice/layout.hpp"
#include "lattice/shape.hpp"

namespace psflip {

/// Couplings of a batch from int8 (realization, direction, z, y, x), each +1 or -1, to words of
/// CouplingLayout (columns() * column_words() of them). Lanes beyond the last realization get J = +1. Throws
/// InputError for any other value, naming realization, direction and site.
std::vector<std::uint64_t> pack_couplings(const Shape& shape, const std::vector<std::int8_t>& couplings);

/// Spins from the canonical array uint64 (replica, temperature, pack64, z, y, x) to words of `layout`, and
/// back. Bits beyond the last realization of the canonical array are 0; padded slots and lanes of the layout
/// are 0.
std::vector<std::uint64_t> pack_spins(const Shape& shape, const SpinLayout& layout,
                                      const std::vector<std::uint64_t>& canonical);
std::vector<std::uint64_t> unpack_spins(const Shape& shape, const SpinLayout& layout,
                                        const std::uint64_t* words);

/// The random start of a batch in canonical form: purpose initial_spins (see random/purposes.hpp).
std::vector<std::uint64_t> random_spins(const Shape& shape, std::uint64_t seed);

}  // namespace psflip
