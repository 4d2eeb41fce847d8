#pragma once

#include <cstdint>

namespace psflip {

/// A column is the working unit of memory: 128 realizations, one bit each.
inline constexpr int column_bits = 128;

/// Sizes of one batch: everything that memory layouts and loops depend on.
struct Shape {
    int L = 0;                           ///< even (the sweeps take 4..256, in two dimensions 4..1024)
    int replicas = 1;                    ///< 1..8
    int temperatures = 1;                ///< 1..64
    std::int64_t realizations = 0;       ///< in this batch
    std::int64_t first_realization = 0;  ///< a multiple of max(share, 32)
    int share = 128;                     ///< 1, 32, 64, 128: realizations per random number
    int dimension = 3;                   ///< 3, or 2: one plane, z = 0

    /// Planes: extent along z.
    int depth() const { return dimension == 3 ? L : 1; }
    std::int64_t sites() const { return std::int64_t{L} * L * depth(); }
    std::int64_t columns() const { return (realizations + column_bits - 1) / column_bits; }
    std::int64_t lanes() const { return columns() * column_bits; }
    std::int64_t packs64() const { return (realizations + 63) / 64; }
    int pairs_of_replicas() const { return replicas * (replicas - 1) / 2; }
    /// Elements of the canonical spin array (replica, temperature, pack64, z, y, x).
    std::int64_t spin_words() const { return packs64() * replicas * temperatures * sites(); }
    bool operator==(const Shape&) const = default;
};

}  // namespace psflip
