// Writes run files and the sums of checkpoints. A run file holds what one call of pt-run measured.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "config/limits.hpp"
#include "evolution/sampler_state.hpp"
#include "io/dataset_info.hpp"
#include "io/datasets.hpp"
#include "io/schema.hpp"
#include "lattice/shape.hpp"
#include "measure/measurement.hpp"
#include "measure/run_grid.hpp"
#include "measure/stored_sums.hpp"
#include "measure/two_time.hpp"
#include "run/run_loop.hpp"
#include "run/state_file.hpp"

namespace psflip {

/// Returns the counts of exchanges between two states of one run, `from` before `to`. The result has no
/// walkers.
TemperingState counts_between(const SamplerState& from, const SamplerState& to);
/// Returns the counts of Houdayer moves between two states of one run, or counts that are not known() if `to`
/// has none.
HoudayerCounts houdayer_between(const SamplerState& from, const SamplerState& to, const Shape& shape);

/// Holds what one call of pt-run measured. Temperatures are in units of J / k_B, sweeps count from the end of
/// thermalization (run_start).
struct RunData {
    BatchIdentity identity;
    std::vector<double> temperatures;  ///< ascending, in units of J / k_B
    std::int64_t first = 0, last = 0;  ///< the run covers the sweeps (first, last]
    RunGrid grid;
    RunBins bins;       ///< blocks of the grid in (first, last]
    Measured measured;  ///< what the study asks for
    Accumulators accumulators;
    TemperingState counts;    ///< as counts_between
    HoudayerCounts houdayer;  ///< as houdayer_between
    std::vector<Snapshot> snapshots;
    std::vector<double> widths{}, acceptance{};  ///< of the cones of vector spins (ConeState)
    /// Overlaps of the hottest slot with its start at `last`, without exchange; empty if not measured.
    TwoTimeOverlaps hottest;
};

/// Return the attributes of datasets of state, run and checkpoint files. field: the study has a field, so
/// sums of energies hold only the energy of the bonds. Errors: std::logic_error for an unknown name.
DatasetInfo run_dataset(const std::string& name, int dimension = 3, bool field = false, bool vectors = false);
DatasetTable run_datasets(int dimension, bool field, bool vectors = false);

/// Returns the dataset that holds a sum in checkpoints, such as "/blocks/energy".
std::string sum_dataset(Sum sum);

/// Describes one array of accumulators as a dataset of checkpoints.
struct SumsDataset {
    std::string name;
    Extents extents;
    int realization_axis;          ///< index in `extents`; -1: the array has no axis of realizations
    Range<double> range;           ///< possible values; read_accumulators refuses others
    const SumInfo* sum = nullptr;  ///< nullptr if the array is not a sum of sum_table
};

/// Calls f(dataset, array) for each array of accumulators that `measured` has.
template <class Sums, class F>
void for_each_array(Sums& a, const Measured& measured, const F& f) {
    constexpr double max_sum = std::int64_t{1} << 53;  // of all measurements, see BinnedSums
    constexpr double max_real_sum = 1e30, max_count = limits::sweeps;
    constexpr double max_histogram = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t T = a.temperatures, R = a.realizations;
    const auto call = [&f](const SumsDataset& dataset, auto& values) { f(dataset, values); };
    call({std::string(schema::blocks_group) + "/" + schema::count, {a.bins}, -1, {0.0, max_count}}, a.count);
    for (const SumInfo& row : sum_table) {
        if (!row.of(measured)) continue;
        const auto i = static_cast<int>(row.sum);
        const double low = row.values.integer || row.values.low < 0.0 ? -max_real_sum : 0.0;
        const Extents extents = {a.bins, a.components(row.sum), T, R};
        if (is_integer(row.sum, a.measured))
            call({sum_dataset(row.sum), extents, 3, {-max_sum, max_sum}, &row}, a.integers[i]);
        else
            call({sum_dataset(row.sum), extents, 3, {low, max_real_sum}, &row}, a.reals[i]);
    }
    const Range<double> counts = {0.0, max_histogram};
    if (!a.histogram.empty())
        call({schema::histogram_overlap, {T, a.histogram_bins, R}, 2, counts}, a.histogram);
    if (measured.link_histogram() && !a.link_histogram.empty())
        call({schema::histogram_link, {T, a.histogram_bins, R}, 2, counts}, a.link_histogram);
    if (!measured.lowest_energies()) return;
    call({schema::lowest_energy, {a.bins, a.replicas, R}, 2, {-max_sum, max_sum}}, a.lowest_energy);
    call({schema::lowest_count, {a.bins, a.replicas, R}, 2, {0.0, max_count}}, a.lowest_count);
}

/// Calls f(dataset, array) for each array that run files hold (measure/stored_sums.hpp). The pool computes
/// the stored sums.
template <class F>
void for_each_stored_array(const Accumulators& a, const Measured& measured, ThreadPool& pool, const F& f) {
    for_each_array(a, measured, [&](SumsDataset dataset, const auto& values) {
        if constexpr (!std::is_same_v<decltype(values), const std::vector<double>&>) {
            f(dataset, values);
        } else if (is_stored(dataset.sum->sum)) {
            dataset.name = stored_name(dataset.sum->sum);
            f(dataset, stored_reals(a, dataset.sum->sum, pool));
        }
    });
}

/// Calls f(dataset, extents, array) for the counts of Houdayer moves of a run file.
template <class F>
void for_each_houdayer_count(const HoudayerCounts& counts, const Shape& shape, const F& f) {
    if (!counts.known()) return;
    const Extents slots = {shape.realizations, shape.temperatures};
    f(schema::houdayer_moves, Extents{shape.temperatures}, counts.moves);
    f(schema::houdayer_clusters, slots, counts.clusters);
    f(schema::houdayer_sites, slots, counts.sites);
}

/// Writes the accumulators of a checkpoint under /blocks and /histogram, as in memory and uncompressed.
void write_accumulators(OutputFile& file, const RunBins& bins, const Accumulators& accumulators);
/// Writes the sums of a run file under /blocks and /histogram, in the form of measure/stored_sums.hpp.
void write_stored_sums(OutputFile& file, const RunBins& bins, const Accumulators& accumulators,
                       ThreadPool& pool);
/// Reads the accumulators of a checkpoint. asked: what the study measures. Errors: InputError if a dataset is
/// missing, has another shape or holds impossible values.
Accumulators read_accumulators(const InputFile& file, const Shape& shape, const RunBins& bins,
                               int histogram_bins, const Measured& asked);

/// Writes snapshots under /snapshots, or nothing if the list is empty. Collective; `file` is the file of rank
/// 0 and nullptr on other ranks.
void write_snapshots(OutputFile* file, const Shape& shape, const std::vector<Snapshot>& snapshots,
                     Ranks& ranks = single_rank());
/// Reads the snapshots of a file; each rank gets its own planes. Errors: InputError if a shape does not fit.
std::vector<Snapshot> read_snapshots(const InputFile& file, const Shape& shape);

/// Writes everything of a run file before its commit. Collective; `file` is the file of rank 0 and nullptr on
/// other ranks.
void write_run(OutputFile* file, const Shape& shape, const RunData& run, Ranks& ranks = single_rank(),
               ThreadPool& pool = caller_alone());

/// Checks that the run file at `path` may be replaced. Errors: InputError if it belongs to another batch, or
/// holds sweeps, blocks, bins or snapshots that the planned file will not hold. `snapshots` is the number of
/// snapshots in the planned file.
void check_existing_run(const std::string& path, const BatchIdentity& identity, const RunRange& planned,
                        std::int64_t snapshots);

}  // namespace psflip
