// Declares the form of a lattice in cluster updates on CPUs: one bit per site in the order x + L (y + L z).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sweep/clusters/cluster_sums.hpp"

namespace psflip {

/// Holds one bit per site: site i is bit i % 64 of word i / 64. Bits after the last site are undefined.
/// Two words after the last word may be read.
class SiteBits {
  public:
    SiteBits() = default;
    explicit SiteBits(std::int64_t words) : words_(static_cast<std::size_t>(words + 2)) {}
    std::uint64_t* data() { return words_.data(); }
    const std::uint64_t* data() const { return words_.data(); }

  private:
    std::vector<std::uint64_t> words_;
};

/// Returns 64 bits from the bit `first` on. Words before the word `begin` are not read; their bits are 0.
/// first must be above 64 (begin - 1).
inline std::uint64_t bits_from(const std::uint64_t* bits, std::int64_t first, std::int64_t begin = 0) {
    const std::int64_t word = first >> 6;
    const int shift = static_cast<int>(first & 63);
    const std::uint64_t low = word < begin ? 0 : bits[word] >> shift;
    return shift == 0 ? low : low | bits[word + 1] << (64 - shift);
}

/// Describes a whole periodic lattice, and says which sites lie at its faces.
class ClusterLattice {
  public:
    ClusterLattice(int dimension, int L);

    int dimension() const { return dimension_; }
    int L() const { return L_; }
    std::int64_t sites() const { return stride_[dimension_]; }
    std::int64_t words() const { return (sites() + 63) / 64; }
    /// Returns the distance in bits of a site and its neighbour along direction d.
    std::int64_t stride(int d) const { return stride_[d]; }
    /// Returns the number of sites of a line along direction d, times the stride.
    std::int64_t span(int d) const { return stride_[d + 1]; }

    /// Returns cosines and sines at the smallest wave vector.
    FixedFourier fourier() const { return {fourier_.data(), L_}; }

    /// Return the sites of a word whose coordinate along d is L - 1, or 0.
    std::uint64_t last(int d, std::int64_t word) const { return face(d, word, last_, L_ - 1); }
    std::uint64_t first(int d, std::int64_t word) const { return face(d, word, first_, 0); }
    /// Returns the bits of a word that are sites.
    std::uint64_t valid(std::int64_t word) const {
        const std::int64_t left = sites() - 64 * word;
        return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }

  private:
    using Faces = std::array<std::vector<std::uint64_t>, 3>;
    std::uint64_t face(int d, std::int64_t word, const Faces& faces, int coordinate) const {
        if (L_ % 64 != 0) return faces[d][static_cast<std::size_t>(word)];
        if (d > 0) return 64 * word / stride_[d] % L_ == coordinate ? ~std::uint64_t{0} : 0;
        const bool end = word % (L_ / 64) == (coordinate == 0 ? 0 : L_ / 64 - 1);
        return end ? std::uint64_t{1} << (coordinate == 0 ? 0 : 63) : 0;
    }

    int dimension_, L_;
    std::array<std::int64_t, 4> stride_;
    Faces first_, last_;  ///< empty if rows are whole words
    std::vector<std::int32_t> fourier_;
};

}  // namespace psflip
