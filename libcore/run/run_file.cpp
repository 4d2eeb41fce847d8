#include "run/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "config/limits.hpp"
#include "evolution/tempering_state.hpp"
#include "io/datasets.hpp"
#include "io/existing_file.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "measure/stored_sums.hpp"
#include "run/slab_spins.hpp"
#include "run/vector_spins.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

constexpr double largest_real_sum = 1e30;
std::string in_blocks(const char* dataset) {
    return std::string(schema::blocks_group) + "/" + dataset;
}

Extents snapshot_extents(std::size_t snapshots, const Shape& s) {
    Extents extents = canonical_extents(s);
    extents.insert(extents.begin(), static_cast<std::int64_t>(snapshots));
    return extents;
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

TemperingCounts counts_between(const SamplerState& from, const SamplerState& to) {
    const TemperingState start = tempering_of(from), end = tempering_of(to);
    return {difference(start.accepted, end.accepted), difference(start.attempted, end.attempted),
            difference(start.round_trips, end.round_trips)};
}

namespace {

/// As they are, or, where they are not for going on from, as stored_sums.hpp says.
void write_sums(OutputFile& file, const RunBins& bins, const Accumulators& a, SumsAs form, Storage storage,
                ThreadPool& pool) {
    for (const SumInfo& row : sum_table) {
        if (!row.of(a.measured)) continue;
        const Sum sum = row.sum;
        const auto i = static_cast<int>(sum);
        const Extents all{bins.count(), a.components(sum), a.temperatures, a.realizations};
        if (is_integer(sum, a.measured))
            file.write(sum_dataset(sum), all, a.integers[i], storage);
        else if (form == SumsAs::in_memory)
            file.write(sum_dataset(sum), all, a.reals[i], storage);
        else if (is_stored(sum))
            file.write(stored_name(sum), all, stored_reals(a, sum, pool), storage);
    }
}

}  // namespace

void write_accumulators(OutputFile& file, const RunBins& bins, const Accumulators& a, SumsAs form,
                        ThreadPool& pool) {
    // what is gone on from is written fast: after a stop request every second counts
    const Storage storage = form == SumsAs::in_memory ? Storage::plain : Storage::deflated;
    file.write(in_blocks(schema::edges), {bins.count() + 1}, bins.edges);
    file.write(in_blocks(schema::count), {bins.count()}, a.count);
    write_sums(file, bins, a, form, storage, pool);
    const Extents counts = {a.temperatures, a.histogram_bins, a.realizations};
    if (!a.histogram.empty()) file.write(schema::histogram_overlap, counts, a.histogram, storage);
    if (!a.link_histogram.empty()) file.write(schema::histogram_link, counts, a.link_histogram, storage);
    if (!a.measured.lowest_energies()) return;
    const Extents coldest = {bins.count(), a.replicas, a.realizations};
    file.write(schema::lowest_energy, coldest, a.lowest_energy, storage);
    file.write(schema::lowest_count, coldest, a.lowest_count, storage);
}

Accumulators read_accumulators(const InputFile& file, const Shape& shape, const RunBins& bins,
                               int histogram_bins, const Measured& asked) {
    Accumulators a = empty_accumulators(shape, measured_in(file, asked), bins.count(), histogram_bins);
    const auto extents = [&](int components) {
        return Extents{bins.count(), components, a.temperatures, a.realizations};
    };
    constexpr std::int64_t largest_sum = std::int64_t{1} << 53;  // of all measurements, see BinnedSums
    a.count =
        read_in_range<std::int64_t>(file, in_blocks(schema::count), {bins.count()}, {0, limits::sweeps});
    for (const SumInfo& row : sum_table) {
        if (!row.of(a.measured)) continue;
        const Sum sum = row.sum;
        const auto i = static_cast<int>(sum);
        const Extents all = extents(a.components(sum));
        const bool any_sign = row.values.integer || row.values.low < 0.0;
        if (is_integer(sum, a.measured))
            a.integers[i] =
                read_in_range<std::int64_t>(file, sum_dataset(sum), all, {-largest_sum, largest_sum});
        else
            a.reals[i] = read_in_range<double>(file, sum_dataset(sum), all,
                                               {any_sign ? -largest_real_sum : 0.0, largest_real_sum});
    }
    const Extents counts = {a.temperatures, a.histogram_bins, a.realizations};
    if (!a.histogram.empty())
        a.histogram = read_with_extents<std::uint32_t>(file, schema::histogram_overlap, counts);
    if (!a.link_histogram.empty())
        a.link_histogram = read_with_extents<std::uint32_t>(file, schema::histogram_link, counts);
    if (!a.measured.lowest_energies()) return a;
    const Extents coldest = {bins.count(), a.replicas, a.realizations};
    a.lowest_energy =
        read_in_range<std::int64_t>(file, schema::lowest_energy, coldest, {-largest_sum, largest_sum});
    a.lowest_count = read_in_range<std::int64_t>(file, schema::lowest_count, coldest, {0, limits::sweeps});
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
        if (shape.has_vectors())
            create_vectors(*file, schema::snapshots_spins, n, shape);
        else
            file->create<std::uint64_t>(schema::snapshots_spins, snapshot_extents(snapshots.size(), shape),
                                        spin_storage(shape));
    });
    for (std::int64_t i = 0; i < n; ++i)
        write_spins_row(file, schema::snapshots_spins, i, shape, snapshots[static_cast<std::size_t>(i)].spins,
                        ranks);
}

std::vector<Snapshot> read_snapshots(const InputFile& file, const Shape& shape) {
    if (!file.has(schema::snapshots_sweep)) return {};
    const auto sweeps = read_ascending<std::int64_t>(file, schema::snapshots_sweep, {0, limits::sweeps});
    file.require_shape(schema::snapshots_spins, snapshot_extents(sweeps.size(), shape));
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
    write_accumulators(file, run.bins, run.accumulators, SumsAs::stored, pool);
    file.write(schema::tempering_accepted, {shape.realizations, shape.replicas, shape.temperatures - 1},
               run.counts.accepted.data());
    file.write(schema::tempering_attempted, {shape.temperatures - 1}, run.counts.attempted.data());
    file.write(schema::tempering_round_trips, {shape.realizations, shape.replicas},
               run.counts.round_trips.data());
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

/// Without the base, which a longer run may have larger.
std::string grid_lines(const RunGrid& grid) {
    return fmt::format("{}: {}\n{}: {}\n{}: {}\n", schema::grid_blocks, grid.blocks,
                       schema::grid_measure_every, grid.measure_every, schema::grid_histogram_bins,
                       grid.histogram_bins);
}

}  // namespace

void check_existing_run(const std::string& path, const BatchIdentity& identity, const RunPlanned& planned) {
    check_existing_file(path, schema::run, [&](const InputFile& file) {
        const RunRange there = read_run_range(file);
        const std::int64_t snapshots =
            file.has(schema::snapshots_sweep) ? file.shape(schema::snapshots_sweep).at(0) : 0;
        std::string lines = other_lines(read_identity(file).lines() + grid_lines(there.grid),
                                        identity.lines() + grid_lines(planned.grid));
        if (!lines.empty()) return lines;
        if (there.first < planned.first || there.last > planned.last)
            return fmt::format("it holds the sweeps {} to {} after thermalization, this call makes {} to {}",
                               there.first, there.last, planned.first, planned.last);
        if (snapshots <= planned.snapshots) return std::string();
        return fmt::format("it holds {} snapshots, this call makes {}", snapshots, planned.snapshots);
    });
}

}  // namespace psflip
