#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace psflip {

/// Extents of the chunks that datasets of psflip's files have: whole trailing axes up to 1 MiB, the axis
/// before them cut in equal pieces, never larger than the dataset, which has elements.
std::vector<std::int64_t> chunk_extents(const std::vector<std::int64_t>& extents, std::size_t element_bytes);

}  // namespace psflip
