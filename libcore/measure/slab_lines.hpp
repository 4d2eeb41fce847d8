#pragma once

#include <cstdint>
#include <vector>

#include "slab/ranks.hpp"

namespace psflip {

/// Lines along z of lattices that are cut into slabs: a rank has all lines in its own planes; transposed it
/// has some of the lines, x + L y = first_line() to first_line() + lines() - 1, in all planes. For each site
/// `words` 64-bit words go along.
///
/// A rank sends and receives about 1 - 1/n of its slab, n ranks, and holds a copy of it to send.
class SlabLines {
  public:
    /// The planes are those of planes_of_rank. The ranks outlive this.
    SlabLines(Ranks& ranks, int L, int words);

    std::int64_t first_line() const { return first_of(ranks_.rank()); }
    std::int64_t lines() const { return first_of(ranks_.rank() + 1) - first_line(); }
    /// Words of the lines of a rank.
    std::int64_t line_words() const { return lines() * L_ * words_; }

    /// planes: (own z; y; x; word); lines, of line_words(): (z; line; word). Collective.
    void transpose(const std::uint64_t* planes, std::uint64_t* lines);

  private:
    std::int64_t first_of(int rank) const { return std::int64_t{L_} * L_ * rank / ranks_.size(); }

    Ranks& ranks_;
    int L_, words_, own_planes_;
    std::vector<std::size_t> to_, from_;  ///< bytes, by rank
    std::vector<std::uint64_t> sent_;     ///< (to rank; own z; line; word)
};

}  // namespace psflip
