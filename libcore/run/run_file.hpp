#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/file.hpp"
#include "lattice/shape.hpp"
#include "measure/measurement.hpp"
#include "measure/run_grid.hpp"
#include "measure/two_time.hpp"
#include "run/run_loop.hpp"
#include "run/state_file.hpp"

namespace psflip {

/// Exchanges counted in one run.
struct TemperingCounts {
    std::vector<std::int64_t> accepted;     ///< (realization, replica, pair)
    std::vector<std::int64_t> attempted;    ///< (pair)
    std::vector<std::int64_t> round_trips;  ///< (realization, replica)
    bool operator==(const TemperingCounts&) const = default;
};

/// Returns the exchanges that are counted at the end of a run, but not at its start.
TemperingCounts counts_between(const SamplerState& from, const SamplerState& to);

/// What one call of pt-run measured.
struct RunData {
    BatchIdentity identity;
    std::vector<double> temperatures;  ///< J / k_B, ascending
    std::int64_t first = 0, last = 0;  ///< sweeps since run_start: it covers (first, last]
    RunGrid grid;
    RunBins bins;       ///< the grid's blocks of (first, last]
    Measured measured;  ///< what is asked for
    Accumulators accumulators;
    TemperingCounts counts;
    std::vector<Snapshot> snapshots;
    std::vector<double> widths{}, acceptance{};  ///< as ConeState, of vector spins
    TwoTimeOverlaps hottest;  ///< of the hottest slot by itself, from `last` on; empty with one temperature
};

/// "/blocks/energy" and the like, as in memory.
std::string sum_dataset(Sum sum);

/// The sums of checkpoints are those in memory, plain; run files hold them as measure/stored_sums.hpp says,
/// deflated.
enum class SumsAs { in_memory, stored };

/// The accumulators under /blocks and /histogram; those of replica pairs have no elements where there is one
/// replica.
void write_accumulators(OutputFile& file, const RunBins& bins, const Accumulators& accumulators, SumsAs form,
                        ThreadPool& pool = caller_alone());
/// Reads back what was written as in_memory and measured_in says; InputError where a dataset is missing, has
/// another shape or holds impossible values.
Accumulators read_accumulators(const InputFile& file, const Shape& shape, const RunBins& bins,
                               int histogram_bins, const Measured& asked);

/// Snapshots under /snapshots; nothing where there are none.
/// Collective; `file` is that of rank 0 and nullptr elsewhere.
void write_snapshots(OutputFile* file, const Shape& shape, const std::vector<Snapshot>& snapshots,
                     Ranks& ranks = single_rank());
/// InputError where their shapes do not fit.
std::vector<Snapshot> read_snapshots(const InputFile& file, const Shape& shape);

/// All of a run file but its commit. Collective; `file` is that of rank 0 and nullptr elsewhere.
void write_run(OutputFile* file, const Shape& shape, const RunData& run, Ranks& ranks = single_rank(),
               ThreadPool& pool = caller_alone());

/// A run file that will be written, of first < sweep <= last since thermalization.
struct RunPlanned {
    std::int64_t first, last;
    RunGrid grid;
    std::int64_t snapshots;  ///< how many
};

/// InputError if a run file is at `path` that is of another batch, or holds sweeps, blocks, bins or snapshots
/// that the one that will be written does not hold.
void check_existing_run(const std::string& path, const BatchIdentity& identity, const RunPlanned& planned);

}  // namespace psflip
