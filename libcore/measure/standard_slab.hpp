// Moves lattices of slabs from the sliced order of sites to the standard order.
#pragma once

#include <cstdint>

#include "lattice/shape.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// Exchanges the sites of slabs between ranks, so that a rank with planes z' = a, ..., b of the sliced order
/// gets the planes z = a, ..., b. Each rank sends 1 - 1/n of its sites with n ranks. It needs memory for two
/// copies of the own sites of one lattice.
class StandardSlab {
  public:
    /// sliced: the slab of this rank in the sliced order. The ranks must outlive the result.
    StandardSlab(Ranks& ranks, const Shape& sliced);

    const Shape& sliced() const { return sliced_; }
    /// Returns the shape of the slab in the standard order.
    const Shape& standard() const { return standard_; }
    /// Moves the own sites of lattices that follow one another, each with its halo planes. A site has `words`
    /// 64-bit words. Halo planes of `to` do not change. Collective.
    void move(const std::uint64_t* from, std::uint64_t* to, std::int64_t lattices, int words) const;

  private:
    Ranks& ranks_;
    Shape sliced_, standard_;
};

}  // namespace psflip
