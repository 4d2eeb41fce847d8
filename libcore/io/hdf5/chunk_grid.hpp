#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "io/file.hpp"

namespace psflip {

/// Names the elements begin, ..., end - 1 of a dataset, in row-major order.
struct ElementRange {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
};

/// Lists the chunks of a dataset, if each chunk is a range of elements, as chunk_shape makes it. Such a chunk
/// has one index of each of the first axes, a piece of the next axis, and all of the last axes. The last
/// piece of an axis may end with padding.
class ChunkGrid {
  public:
    /// Returns nothing if chunks of the shape `chunk` are not ranges of elements.
    static std::optional<ChunkGrid> of(const std::vector<std::int64_t>& extents,
                                       const std::vector<hsize_t>& chunk);

    std::int64_t chunks() const { return outer_ * pieces_; }
    /// Returns the number of elements of a whole chunk, including padding.
    std::int64_t chunk_elements() const { return piece_ * inner_; }
    /// Returns the elements of chunk i that belong to the dataset.
    ElementRange elements(std::int64_t i) const;
    /// Returns the index of the first element of chunk i, by which HDF5 names the chunk.
    std::vector<hsize_t> offset(std::int64_t i) const;
    /// Returns the chunk with element number `at`.
    std::int64_t chunk_of(std::int64_t at) const;

    /// Returns the elements of a box as a range, or nothing if they are not consecutive.
    std::optional<ElementRange> range_of(const Box& box) const;

  private:
    std::vector<std::int64_t> extents_;
    std::size_t axis_ = 0;     ///< the axis that is cut into pieces
    std::int64_t piece_ = 1;   ///< extent of a chunk along this axis
    std::int64_t inner_ = 1;   ///< product of the extents of later axes
    std::int64_t outer_ = 1;   ///< product of the extents of earlier axes
    std::int64_t pieces_ = 1;  ///< number of pieces of this axis
};

}  // namespace psflip
