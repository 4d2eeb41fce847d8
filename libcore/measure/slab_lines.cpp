#include "measure/slab_lines.hpp"

#include <algorithm>
#include <span>

namespace psflip {

SlabLines::SlabLines(Ranks& ranks, int L, int words)
    : ranks_(ranks),
      L_(L),
      words_(words),
      own_planes_(planes_of_rank(L, ranks.rank(), ranks.size()).count),
      sent_(static_cast<std::size_t>(own_planes_) * L * L * words) {
    const std::size_t bytes = words * sizeof(std::uint64_t);
    for (int r = 0; r < ranks.size(); ++r) {
        to_.push_back(static_cast<std::size_t>((first_of(r + 1) - first_of(r)) * own_planes_) * bytes);
        from_.push_back(static_cast<std::size_t>(lines() * planes_of_rank(L, r, ranks.size()).count) * bytes);
    }
}

/// The parts of ranks follow one another as their planes do, so that they are lines as they come.
void SlabLines::transpose(const std::uint64_t* planes, std::uint64_t* lines) {
    auto to = sent_.begin();
    for (int r = 0; r < ranks_.size(); ++r)
        for (std::int64_t z = 0; z < own_planes_; ++z) {
            const std::uint64_t* const plane = planes + z * L_ * L_ * words_;
            to = std::copy(plane + first_of(r) * words_, plane + first_of(r + 1) * words_, to);
        }
    ranks_.all_to_all(std::as_bytes(std::span(sent_)), to_,
                      std::as_writable_bytes(std::span(lines, static_cast<std::size_t>(line_words()))),
                      from_);
}

}  // namespace psflip
