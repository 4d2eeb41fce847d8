#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/file.hpp"

namespace psflip {

/// Where the sums of a run are cut into blocks, and where runs may end, in sweeps counted from the end of
/// thermalization. It does not depend on where one run file ends and the next begins, so that a run to 2N and
/// a run to N continued to 2N have the same sums, bit for bit.
///
/// (0, base] has `blocks` equal blocks; each octave (base 2^k, base 2^(k+1)] has blocks/2 (with blocks = 1:
/// one). The edges (rounded down) are base 2^k i / blocks, so the blocks of a run to base 2^k combine exactly
/// into `blocks` equal ones, and into the bins (n/2, n], (n/4, n/2], ... of the log2 test.
struct RunGrid {
    std::int64_t base = 0;
    int blocks = 0;  ///< 1 or even
    std::int64_t measure_every = 0;
    int histogram_bins = 0;

    /// base 2^k, k >= 0: runs end here. 0, where the first begins, is none.
    bool is_end(std::int64_t sweep) const;
    /// The smallest end after `sweep`.
    std::int64_t next_end(std::int64_t sweep) const;
    /// Edges of the blocks of (first, last], ascending: first, ..., last. first is 0 or an end, last an end;
    /// std::invalid_argument otherwise.
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

/// base: run.sweeps halved while it is even and the half can still hold one measurement per block. So
/// run.sweeps and twice run.sweeps have the same grid.
RunGrid run_grid(const Parameters& parameters);

/// The sweep at which a run that begins at `first` (0 or an end) ends: `until`, or, where that is 0,
/// run_sweeps if it lies after `first`, else 2 first. InputError with the allowed values around it where it
/// is not an end after `first`.
std::int64_t run_end(const RunGrid& grid, std::int64_t first, std::int64_t run_sweeps, std::int64_t until);

/// Root attributes grid_base, run.blocks, run.measure_every and run.histogram_bins of run files and of the
/// states that pt-run writes.
void write_grid(OutputFile& file, const RunGrid& grid);
/// None where the file has no such attributes: a state of thermalize. InputError for values that no
/// configuration gives.
std::optional<RunGrid> read_grid(const InputFile& file);

/// Where a run file lies on its grid: the sweeps (first, last].
struct RunRange {
    std::int64_t first, last;
    RunGrid grid;
};

/// InputError where an attribute is missing or impossible, or first or last is no end of runs.
RunRange read_run_range(const InputFile& file);

/// InputError naming the first key that differs and both values, unless a and b are equal in all that makes
/// their sums fit together; what_a and what_b say where they come from. with_base false: the base may differ.
void check_same_grid(const std::string& what_a, const RunGrid& a, const std::string& what_b, const RunGrid& b,
                     bool with_base, const std::string& remedy);

}  // namespace psflip
