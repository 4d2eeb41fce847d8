#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "io/file.hpp"

namespace psflip {

/// Elements begin to end - 1 of a dataset, numbered in row-major order.
struct ElementRange {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
};

/// Chunks that are ranges of elements, as chunk_shape makes them: one row along the first axes, a part of the
/// next, all of the last ones. The last chunk of a part holds padding behind its elements.
class ChunkGrid {
  public:
    /// Nothing where chunks of that shape are no ranges.
    static std::optional<ChunkGrid> of(const std::vector<std::int64_t>& extents,
                                       const std::vector<hsize_t>& chunk);

    std::int64_t chunks() const { return outer_ * pieces_; }
    /// Of a whole chunk, padding included.
    std::int64_t chunk_elements() const { return piece_ * inner_; }
    /// The elements of chunk i that lie in the dataset.
    ElementRange elements(std::int64_t i) const;
    /// The index of its first element, by which HDF5 names chunk i.
    std::vector<hsize_t> offset(std::int64_t i) const;
    /// The chunk that holds element number `at`.
    std::int64_t chunk_of(std::int64_t at) const;

    /// The elements of a box; nothing where they do not follow one another.
    std::optional<ElementRange> range_of(const Box& box) const;

  private:
    std::vector<std::int64_t> extents_;
    std::size_t axis_ = 0;     ///< that chunks have a part of
    std::int64_t piece_ = 1;   ///< of that axis, in a chunk
    std::int64_t inner_ = 1;   ///< elements of the axes behind it
    std::int64_t outer_ = 1;   ///< rows of the axes before it
    std::int64_t pieces_ = 1;  ///< chunks along it
};

}  // namespace psflip
