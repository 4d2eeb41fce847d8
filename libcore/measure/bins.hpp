#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// The bins of one run file: bin b covers the sweeps (edges[b], edges[b+1]], counted from the end of
/// thermalization. They are the blocks of RunGrid.
struct RunBins {
    std::vector<std::int64_t> edges;  ///< ascending, bins + 1; none: no bins
    int count() const { return edges.empty() ? 0 : static_cast<int>(edges.size()) - 1; }
    /// The bin that holds `sweep`; std::out_of_range where there is none.
    int bin(std::int64_t sweep) const;
};

}  // namespace psflip
