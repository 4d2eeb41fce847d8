#include "run/run_file.hpp"

#include <algorithm>
#include <functional>

#include "io/schema.hpp"
#include "run/datasets.hpp"

namespace psflip {
namespace {

/// Names in the order of the enums of measure/measurement.hpp.
constexpr const char* integer_names[n_integer_sums] = {schema::energy, schema::overlap, schema::overlap_abs,
                                                       schema::link};
constexpr const char* real_names[n_real_sums] = {schema::energy2, schema::overlap2, schema::overlap4,
                                                 schema::kmin_x,  schema::kmin_y,   schema::kmin_z};

/// One group of bins: /log2 or /blocks, and where its bins lie among all.
struct BinGroup {
    std::string name;
    int first, bins;
    std::string path(const char* dataset) const { return name + "/" + dataset; }
};

std::vector<BinGroup> groups_of(const RunBins& bins) {
    return {{schema::log2_group, 0, bins.n_log2()}, {schema::blocks_group, bins.n_log2(), bins.n_blocks()}};
}

template <class T>
void write_sum(OutputFile& file, const BinGroup& group, const char* name, int components,
               const Accumulators& a, const std::vector<T>& sum, Storage storage) {
    const Extents extents = {group.bins, components, a.temperatures, a.realizations};
    file.write(group.path(name), extents, sum.data() + group.first * elements(extents) / group.bins, storage);
}

template <class T>
void read_sum(const InputFile& file, const BinGroup& group, const char* name, int components,
              const Accumulators& a, std::vector<T>& sum) {
    const Extents extents = {group.bins, components, a.temperatures, a.realizations};
    const auto part = read_with_extents<T>(file, group.path(name), extents);
    std::copy(part.begin(), part.end(), sum.begin() + group.first * elements(extents) / group.bins);
}

std::vector<std::int64_t> difference(const std::vector<std::int64_t>& start,
                                     const std::vector<std::int64_t>& end) {
    std::vector<std::int64_t> result(end.size());
    std::transform(end.begin(), end.end(), start.begin(), result.begin(), std::minus<>());
    return result;
}

}  // namespace

TemperingCounts counts_between(const TemperingState& start, const TemperingState& end) {
    return {difference(start.accepted, end.accepted), difference(start.attempted, end.attempted),
            difference(start.round_trips, end.round_trips)};
}

void write_accumulators(OutputFile& file, const RunBins& bins, const Accumulators& a, Storage storage) {
    for (const BinGroup& group : groups_of(bins)) {
        const auto& edges = group.first == 0 ? bins.log2_edges : bins.block_edges;
        file.write(group.path(schema::edges), {group.bins + 1}, edges);
        file.write(group.path(schema::count), {group.bins}, a.count.data() + group.first);
        for (int i = 0; i < n_integer_sums; ++i)
            write_sum(file, group, integer_names[i], a.components(static_cast<IntegerSum>(i)), a,
                      a.integers[i], storage);
        for (int i = 0; i < n_real_sums; ++i) {
            const auto sum = static_cast<RealSum>(i);
            // the digits of Fourier sums are as good as random and would only cost time
            const bool dense = sum == RealSum::kmin_x || sum == RealSum::kmin_y || sum == RealSum::kmin_z;
            write_sum(file, group, real_names[i], a.components(sum), a, a.reals[i],
                      dense ? Storage::plain : storage);
        }
    }
    if (!a.histogram.empty())
        file.write(schema::histogram_overlap, {a.temperatures, a.histogram_bins, a.realizations}, a.histogram,
                   storage);
}

Accumulators read_accumulators(const InputFile& file, const Shape& shape, const RunBins& bins,
                               int histogram_bins) {
    Accumulators a = empty_accumulators(shape, bins.bins(), histogram_bins);
    for (const BinGroup& group : groups_of(bins)) {
        const auto count = read_with_extents<std::int64_t>(file, group.path(schema::count), {group.bins});
        std::copy(count.begin(), count.end(), a.count.begin() + group.first);
        for (int i = 0; i < n_integer_sums; ++i)
            read_sum(file, group, integer_names[i], a.components(static_cast<IntegerSum>(i)), a,
                     a.integers[i]);
        for (int i = 0; i < n_real_sums; ++i)
            read_sum(file, group, real_names[i], a.components(static_cast<RealSum>(i)), a, a.reals[i]);
    }
    if (!a.histogram.empty())
        a.histogram = read_with_extents<std::uint32_t>(file, schema::histogram_overlap,
                                                       {a.temperatures, a.histogram_bins, a.realizations});
    return a;
}

void write_snapshots(OutputFile& file, const Shape& shape, const std::vector<Snapshot>& snapshots) {
    if (snapshots.empty()) return;
    const auto n = static_cast<std::int64_t>(snapshots.size());
    std::vector<std::int64_t> sweeps;
    for (const Snapshot& snapshot : snapshots) sweeps.push_back(snapshot.sweep);
    file.write(schema::snapshots_sweep, {n}, sweeps);
    file.create<std::uint64_t>(
        schema::snapshots_spins,
        {n, shape.replicas, shape.temperatures, shape.packs64(), shape.L, shape.L, shape.L}, Storage::plain);
    for (std::int64_t i = 0; i < n; ++i)
        file.write_rows(schema::snapshots_spins, i, 1, snapshots[static_cast<std::size_t>(i)].spins.data());
}

std::vector<Snapshot> read_snapshots(const InputFile& file) {
    if (!file.has(schema::snapshots_sweep)) return {};
    std::vector<Snapshot> snapshots;
    for (const std::int64_t sweep : file.read<std::int64_t>(schema::snapshots_sweep).data) {
        const auto i = static_cast<std::int64_t>(snapshots.size());
        snapshots.push_back({sweep, file.read_rows<std::uint64_t>(schema::snapshots_spins, i, 1).data});
    }
    return snapshots;
}

void write_run(OutputFile& file, const Shape& shape, const RunData& run) {
    write_identity(file, run.identity);
    file.attribute(schema::run_first, run.first);
    file.attribute(schema::run_last, run.last);
    file.write(schema::temperatures, {shape.temperatures}, run.temperatures);
    write_accumulators(file, run.bins, run.accumulators);
    file.write(schema::tempering_accepted, {shape.realizations, shape.replicas, shape.temperatures - 1},
               run.counts.accepted.data());
    file.write(schema::tempering_attempted, {shape.temperatures - 1}, run.counts.attempted.data());
    file.write(schema::tempering_round_trips, {shape.realizations, shape.replicas},
               run.counts.round_trips.data());
    write_snapshots(file, shape, run.snapshots);
}

}  // namespace psflip
