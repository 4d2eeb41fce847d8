#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace psflip {

/// Returns the extents of the chunks of a non-empty dataset. A chunk spans as many whole trailing axes as fit
/// into 1 MiB. The axis before them is cut into equal pieces.
std::vector<std::int64_t> chunk_extents(const std::vector<std::int64_t>& extents, std::size_t element_bytes);

}  // namespace psflip
