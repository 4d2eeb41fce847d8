#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/file.hpp"

namespace psflip {

/// The blocks of a run's sums and the possible ends of runs, in sweeps counted from the end of
/// thermalization. The grid does not depend on where one run file ends and the next begins. So a run to 2N
/// and a run to N continued to 2N have the same sums, bit for bit.
///
/// (0, base] has `blocks` equal blocks; each octave (base 2^k, base 2^(k+1)] has blocks/2 (with blocks = 1:
/// one). The edges (rounded down) are base 2^k i / blocks, so the blocks of a run to base 2^k combine exactly
/// into `blocks` equal ones, and into the bins (n/2, n], (n/4, n/2], ... of the log2 test.
struct RunGrid {
    std::int64_t base = 0;
    int blocks = 0;  ///< 1 or even
    std::int64_t measure_every = 0;
    int histogram_bins = 0;

    /// Returns whether runs may end here: at base 2^k, k >= 0.
    bool is_end(std::int64_t sweep) const;
    /// Returns the smallest end after `sweep`.
    std::int64_t next_end(std::int64_t sweep) const;
    /// Returns the edges of the blocks of (first, last], ascending: first, ..., last. Throws
    /// std::invalid_argument unless first is 0 or an end, and last an end.
    std::vector<std::int64_t> block_edges(std::int64_t first, std::int64_t last) const;
    bool operator==(const RunGrid&) const = default;
};

/// The bins of one run file: bin b covers the sweeps (edges[b], edges[b+1]], counted from the end of
/// thermalization. They are blocks of a RunGrid.
struct RunBins {
    std::vector<std::int64_t> edges;  ///< ascending, bins + 1; none: no bins
    int count() const { return edges.empty() ? 0 : static_cast<int>(edges.size()) - 1; }
    /// Returns the bin that holds `sweep`. Throws std::out_of_range if there is none.
    int bin(std::int64_t sweep) const;
};

/// Returns the grid of a study. The base is run.sweeps, halved while it is even and the half has room for one
/// measurement per block. So run.sweeps and twice run.sweeps have the same grid.
RunGrid run_grid(const Parameters& parameters);

/// Returns the end of a run that begins at `first` (0 or an end): `until`. If that is 0, run_sweeps if it
/// lies after `first`, else 2 first. Throws InputError with allowed values if this is not an end after
/// `first`.
std::int64_t run_end(const RunGrid& grid, std::int64_t first, std::int64_t run_sweeps, std::int64_t until);

/// Writes the root attributes grid_base, run.blocks, run.measure_every and run.histogram_bins of run files
/// and of the states that pt-run writes.
void write_grid(OutputFile& file, const RunGrid& grid);
/// Returns nothing if the file has no such attributes: a state of thermalize. Throws InputError for values
/// that no configuration gives.
std::optional<RunGrid> read_grid(const InputFile& file);

/// The sweeps (first, last] of a run file, and its grid.
struct RunRange {
    std::int64_t first, last;
    RunGrid grid;
};

/// Throws InputError if an attribute is missing or impossible, or if first or last is not an end of runs.
RunRange read_run_range(const InputFile& file);

/// Throws InputError with the first key that differs and both values, if sums of a and b do not fit together.
/// what_a and what_b name their files. with_base false: the base may differ.
void check_same_grid(const std::string& what_a, const RunGrid& a, const std::string& what_b, const RunGrid& b,
                     bool with_base, const std::string& remedy);

}  // namespace psflip
