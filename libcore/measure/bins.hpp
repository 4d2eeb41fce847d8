#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// The bins of one run file, which covers the sweeps (first, last] counted from the end of thermalization.
/// Bins 0 .. n_log2-1 are the log2 bins, the rest the equal blocks.
struct RunBins {
    std::vector<std::int64_t> log2_edges;   ///< n_log2 + 1 edges; bin b covers (edges[b], edges[b+1]]
    std::vector<std::int64_t> block_edges;  ///< n_blocks + 1
    int n_log2() const { return static_cast<int>(log2_edges.size()) - 1; }
    int n_blocks() const { return static_cast<int>(block_edges.size()) - 1; }
    int bins() const { return n_log2() + n_blocks(); }
    int log2_bin(std::int64_t sweep) const;   ///< index into all bins
    int block_bin(std::int64_t sweep) const;  ///< index into all bins
};

/// Edges of the log2 bins are run_sweeps 2^i for all integers i that matter: a first run (first = 0) has the
/// bins (n/2, n], (n/4, n/2], ... down to the last that can hold a measurement, which takes the rest down to
/// 0; a continuation (first >= n) has the bins (n, 2n], (2n, 4n], ... cut to its range. Blocks divide (first,
/// last] equally (sweeps rounded down).
RunBins run_bins(std::int64_t first, std::int64_t last, std::int64_t run_sweeps, std::int64_t measure_every,
                 int blocks);

}  // namespace psflip
