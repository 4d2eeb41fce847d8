#include "run/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "io/existing_file.hpp"
#include "lattice/packing.hpp"
#include "run/slab_spins.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

std::string in_blocks(const char* dataset) {
    return std::string(schema::blocks_group) + "/" + dataset;
}

std::vector<std::int64_t> difference(const std::vector<std::int64_t>& start,
                                     const std::vector<std::int64_t>& end) {
    std::vector<std::int64_t> result(end.size());
    std::transform(end.begin(), end.end(), start.begin(), result.begin(), std::minus<>());
    return result;
}

void write_hottest(OutputFile& file, const Shape& shape, const TwoTimeOverlaps& hottest) {
    if (hottest.sweeps.empty()) return;
    const auto times = static_cast<std::int64_t>(hottest.sweeps.size());
    file.write(schema::hottest_sweeps, {times}, hottest.sweeps);
    file.write(schema::hottest_correlation, {times, shape.replicas, shape.realizations}, hottest.sums);
}

}  // namespace

std::string sum_dataset(Sum sum) {
    return in_blocks(info(sum).name);
}

TemperingState counts_between(const SamplerState& from, const SamplerState& to) {
    const TemperingState start = tempering_of(from), end = tempering_of(to);
    return {.walker = {},
            .last_end = {},
            .accepted = difference(start.accepted, end.accepted),
            .attempted = difference(start.attempted, end.attempted),
            .round_trips = difference(start.round_trips, end.round_trips)};
}

HoudayerCounts houdayer_between(const SamplerState& from, const SamplerState& to, const Shape& shape) {
    if (!to.find(houdayer_kind)) return {};
    HoudayerCounts counts = houdayer_counts_of(to, shape);
    counts.add(houdayer_counts_of(from, shape), -1);
    return counts;
}

void write_accumulators(OutputFile& file, const RunBins& bins, const Accumulators& a) {
    // Uncompressed, because only seconds may be left after a stop request.
    constexpr Storage storage = Storage::plain;
    file.write(in_blocks(schema::edges), {bins.count() + 1}, bins.edges);
    for_each_array(a, a.measured, [&](const SumsDataset& dataset, const auto& values) {
        file.write(dataset.name, dataset.extents, values, storage);
    });
}

void write_stored_sums(OutputFile& file, const RunBins& bins, const Accumulators& a, ThreadPool& pool) {
    file.write(in_blocks(schema::edges), {bins.count() + 1}, bins.edges);
    for_each_stored_array(a, a.measured, pool, [&](const SumsDataset& dataset, const auto& values) {
        file.write(dataset.name, dataset.extents, values);
    });
}

Accumulators read_accumulators(const InputFile& file, const Shape& shape, const RunBins& bins,
                               int histogram_bins, const Measured& asked) {
    Accumulators a = empty_accumulators(shape, measured_in(file, asked), bins.count(), histogram_bins);
    for_each_array(a, a.measured, [&](const SumsDataset& dataset, auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        values = read_in_range<T>(file, dataset.name, dataset.extents,
                                  {static_cast<T>(dataset.range.low), static_cast<T>(dataset.range.high)});
    });
    return a;
}

void write_snapshots(OutputFile* file, const Shape& shape, const std::vector<Snapshot>& snapshots,
                     Ranks& ranks) {
    if (snapshots.empty()) return;
    const auto n = static_cast<std::int64_t>(snapshots.size());
    std::vector<std::int64_t> sweeps;
    for (const Snapshot& snapshot : snapshots) sweeps.push_back(snapshot.sweep);
    first_does(ranks, [&] {
        file->write(schema::snapshots_sweep, {n}, sweeps);
        create_spins(*file, schema::snapshots_spins, shape, n);
    });
    for (std::int64_t i = 0; i < n; ++i)
        write_spins(file, schema::snapshots_spins, shape, snapshots[static_cast<std::size_t>(i)].spins, ranks,
                    i);
}

std::vector<Snapshot> read_snapshots(const InputFile& file, const Shape& shape) {
    if (!file.has(schema::snapshots_sweep)) return {};
    const auto sweeps = read_ascending<std::int64_t>(file, schema::snapshots_sweep, {0, limits::sweeps});
    Extents extents = canonical_extents(shape);
    extents.insert(extents.begin(), std::ssize(sweeps));
    file.require_shape(schema::snapshots_spins, extents);
    std::vector<Snapshot> snapshots;
    for (const std::int64_t sweep : sweeps) {
        const auto i = static_cast<std::int64_t>(snapshots.size());
        snapshots.push_back({sweep, read_spins(file, schema::snapshots_spins, shape, i)});
    }
    return snapshots;
}

namespace {

void write_all_but_spins(OutputFile& file, const Shape& shape, const RunData& run, ThreadPool& pool) {
    write_identity(file, run.identity);
    file.attribute(schema::run_first, run.first);
    file.attribute(schema::run_last, run.last);
    write_grid(file, run.grid);
    file.write(schema::temperatures, {shape.temperatures}, run.temperatures);
    write_stored_sums(file, run.bins, run.accumulators, pool);
    file.write(schema::tempering_accepted, {shape.realizations, shape.replicas, shape.temperatures - 1},
               run.counts.accepted.data());
    file.write(schema::tempering_attempted, {shape.temperatures - 1}, run.counts.attempted.data());
    file.write(schema::tempering_round_trips, {shape.realizations, shape.replicas},
               run.counts.round_trips.data());
    for_each_houdayer_count(run.houdayer, shape,
                            [&](const char* dataset, const Extents& extents, const auto& values) {
                                file.write(dataset, extents, values);
                            });
    if (!shape.has_vectors()) return;
    const Extents slots = {shape.realizations, shape.replicas, shape.temperatures};
    file.write(schema::moves_width, slots, run.widths);
    file.write(schema::moves_acceptance, slots, run.acceptance);
}

}  // namespace

void write_run(OutputFile* file, const Shape& shape, const RunData& run, Ranks& ranks, ThreadPool& pool) {
    first_does(ranks, [&] { write_all_but_spins(*file, shape, run, pool); });
    write_snapshots(file, shape, run.snapshots, ranks);
    first_does(ranks, [&] { write_hottest(*file, shape, run.hottest); });
}

namespace {

/// Returns the grid without its base, which a longer run may have larger.
std::string grid_lines(const RunGrid& grid) {
    return fmt::format("{}: {}\n{}: {}\n{}: {}\n", schema::grid_blocks, grid.blocks,
                       schema::grid_measure_every, grid.measure_every, schema::grid_histogram_bins,
                       grid.histogram_bins);
}

}  // namespace

void check_existing_run(const std::string& path, const BatchIdentity& identity, const RunRange& planned,
                        std::int64_t snapshots) {
    check_existing_file(path, schema::run, [&](const InputFile& file) {
        const RunRange range = read_run_range(file);
        const std::int64_t kept =
            file.has(schema::snapshots_sweep) ? file.shape(schema::snapshots_sweep).at(0) : 0;
        std::string lines = other_lines(read_identity(file).lines() + grid_lines(range.grid),
                                        identity.lines() + grid_lines(planned.grid));
        if (!lines.empty()) return lines;
        if (range.first < planned.first || range.last > planned.last)
            return fmt::format(
                "it holds the sweeps {} to {} after thermalization, but this call makes {} to {}",
                range.first, range.last, planned.first, planned.last);
        if (kept <= snapshots) return std::string();
        return fmt::format("it holds {} snapshots, but this call makes {}", kept, snapshots);
    });
}

}  // namespace psflip
