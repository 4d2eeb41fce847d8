#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/file.hpp"

namespace psflip {

/// Divides the sums of a run into blocks, and says where runs may end, in sweeps since the end of
/// thermalization. The grid does not depend on where one run file ends and the next begins. So a run to 2N,
/// and a run to N continued to 2N, have the same sums, bit for bit.
///
/// The sweeps (0, base] are divided into `blocks` equal blocks. Each octave (base 2^k, base 2^(k+1)] is
/// divided into blocks/2 blocks, or one block if blocks = 1. The edges are base 2^k i / blocks, rounded down.
/// So the blocks of a run to base 2^k combine exactly into `blocks` equal blocks. They also combine into the
/// bins (n/2, n], (n/4, n/2], ... of the log2 test.
struct RunGrid {
    std::int64_t base = 0;
    int blocks = 0;                  ///< 1 or even
    std::int64_t measure_every = 0;  ///< sweeps between two measurements
    int histogram_bins = 0;          ///< bins of the histograms of overlaps and links

    /// Returns whether runs may end at `sweep`: at base 2^k, k >= 0.
    bool is_end(std::int64_t sweep) const;
    /// Returns the smallest end after `sweep`.
    std::int64_t next_end(std::int64_t sweep) const;
    /// Returns the edges of the blocks of (first, last], ascending from `first` to `last`. Errors:
    /// std::invalid_argument unless `first` is 0 or an end, and `last` is an end.
    std::vector<std::int64_t> block_edges(std::int64_t first, std::int64_t last) const;
    bool operator==(const RunGrid&) const = default;
};

/// Lists the bins of one run file, which are blocks of a RunGrid. Bin b covers the sweeps (edges[b],
/// edges[b+1]] since the end of thermalization.
struct RunBins {
    std::vector<std::int64_t> edges;  ///< ascending, one more than bins; empty: no bins
    int count() const { return edges.empty() ? 0 : static_cast<int>(edges.size()) - 1; }
    /// Returns the index of the bin that holds `sweep`. Errors: std::out_of_range if no bin holds `sweep`.
    int bin(std::int64_t sweep) const;
};

/// Returns the grid of a study. The base is run.sweeps, halved as long as it is even and half of it has room
/// for one measurement per block. So run.sweeps and twice run.sweeps have the same grid.
RunGrid run_grid(const Parameters& parameters);

/// Returns the end of a run that begins at `first` (0 or an end). If until > 0, the end is `until`. Otherwise
/// the end is run_sweeps if run_sweeps > first, and 2 first if not. Errors: InputError, which lists allowed
/// values, if the end is not after `first` or is_end() is false for it.
std::int64_t run_end(const RunGrid& grid, std::int64_t first, std::int64_t run_sweeps, std::int64_t until);

/// Writes the grid as root attributes: grid_base, run.blocks, run.measure_every and run.histogram_bins. Run
/// files and the states of pt-run have them.
void write_grid(OutputFile& file, const RunGrid& grid);
/// Reads the grid from the attributes. Returns nothing if a file has no grid (a state of thermalize). Errors:
/// InputError for values that no configuration gives.
std::optional<RunGrid> read_grid(const InputFile& file);

/// Holds the sweeps (first, last] of a run file and its grid.
struct RunRange {
    std::int64_t first, last;
    RunGrid grid;
};

/// Reads the range of a run file. Errors: InputError if an attribute is missing or impossible, or if `first`
/// or `last` is not an end of runs.
RunRange read_run_range(const InputFile& file);

/// Checks that sums on the grids a and b can be combined. what_a and what_b name their files. with_base:
/// false allows different bases. remedy: end of the message. Errors: InputError with the first key that
/// differs and both values.
void check_same_grid(const std::string& what_a, const RunGrid& a, const std::string& what_b, const RunGrid& b,
                     bool with_base, const std::string& remedy);

}  // namespace psflip
