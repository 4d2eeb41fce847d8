#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace psflip {

/// Returns the extents of the chunks of a dataset. A chunk has whole trailing axes up to 1 MiB and an equal
/// piece of the axis before them. The dataset must have elements.
std::vector<std::int64_t> chunk_extents(const std::vector<std::int64_t>& extents, std::size_t element_bytes);

}  // namespace psflip
