#include "io/hdf5/chunk_grid.hpp"

#include <algorithm>

#include "io/datasets.hpp"

namespace psflip {
namespace {

/// Returns whether boxes of this size are ranges of elements: 1, ..., 1, any, all, ..., all. `axis` is the
/// axis of "any".
bool is_range(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& count,
              std::size_t& axis) {
    for (axis = 0; axis + 1 < count.size() && count[axis] == 1; ++axis) {
    }
    for (std::size_t later = axis + 1; later < count.size(); ++later)
        if (count[later] != extents[later]) return false;
    return !count.empty();
}

}  // namespace

std::optional<ChunkGrid> ChunkGrid::of(const std::vector<std::int64_t>& extents,
                                       const std::vector<hsize_t>& chunk) {
    const std::vector<std::int64_t> count(chunk.begin(), chunk.end());
    ChunkGrid grid;
    if (count.size() != extents.size() || std::ranges::find(count, 0) != count.end() ||
        std::ranges::find(extents, 0) != extents.end() || !is_range(extents, count, grid.axis_))
        return std::nullopt;
    grid.extents_ = extents;
    grid.piece_ = count[grid.axis_];
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (axis < grid.axis_) grid.outer_ *= extents[axis];
        if (axis > grid.axis_) grid.inner_ *= extents[axis];
    }
    grid.pieces_ = (extents[grid.axis_] + grid.piece_ - 1) / grid.piece_;
    return grid;
}

ElementRange ChunkGrid::elements(std::int64_t i) const {
    const std::int64_t extent = extents_[axis_], row = i / pieces_ * extent;
    const std::int64_t first = i % pieces_ * piece_, last = std::min(extent, first + piece_);
    return {(row + first) * inner_, (row + last) * inner_};
}

std::vector<hsize_t> ChunkGrid::offset(std::int64_t i) const {
    const std::vector<std::int64_t> index = index_of(elements(i).begin, extents_);
    return {index.begin(), index.end()};
}

std::int64_t ChunkGrid::chunk_of(std::int64_t at) const {
    const std::int64_t along = at / inner_, extent = extents_[axis_];
    return along / extent * pieces_ + along % extent / piece_;
}

std::optional<ElementRange> ChunkGrid::range_of(const Box& box) const {
    std::size_t axis = 0;
    if (!is_range(extents_, box.count, axis)) return std::nullopt;
    ElementRange range;
    std::int64_t size = 1;
    for (std::size_t i = 0; i < extents_.size(); ++i) {
        range.begin = range.begin * extents_[i] + box.first[i];
        size *= box.count[i];
    }
    range.end = range.begin + size;
    return range;
}

}  // namespace psflip
