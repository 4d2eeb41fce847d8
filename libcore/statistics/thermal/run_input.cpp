#include "statistics/thermal/run_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "config/limits.hpp"
#include "config/physics_text.hpp"
#include "io/batch_attributes.hpp"
#include "io/datasets.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "measure/stored_sums.hpp"
#include "statistics/equilibrium/hottest_slot.hpp"
#include "statistics/observable_ranges.hpp"

namespace psflip {

namespace {

double size_of(Scale scale, const RunSums& run) {
    switch (scale) {
        case Scale::one:
            return 1.0;
        case Scale::sites:
            return run.sites();
        case Scale::bonds:
            return run.lattice_bonds();
        case Scale::bonds_squared:
            return run.lattice_bonds() * run.lattice_bonds();
        case Scale::energy:
            return run.max_energy();
        case Scale::energy_squared:
            return run.max_energy() * run.max_energy();
        case Scale::energy_sites:
            return run.max_energy() * run.sites();
        case Scale::slots:
            return static_cast<double>(run.temperatures - 1);
        case Scale::anything:
            return finite.high;
    }
    return 0.0;
}

/// Returns the range of the values that one measurement can give.
Range<double> range_of(Sum series, const RunSums& run) {
    const SumValues& values = info(series).values;
    const double size = size_of(values.scale, run);
    return {values.low * size, values.high * size};
}

/// Reads a dataset of sums in blocks. Data that are not double are read in pieces, so that the memory never
/// holds all of them twice. `one` is the range of a single measurement. Errors: InputError if a sum is more
/// than rounding (1e-9) beyond what the measurements of its block can give.
template <class T>
std::vector<double> read_sums(const InputFile& file, const std::string& dataset, const Extents& extents,
                              const std::vector<std::int64_t>& count, const Range<double>& one,
                              ThreadPool& pool) {
    constexpr std::int64_t piece_elements = std::int64_t{1} << 23;
    const std::int64_t row = extents[3], rows = extents[1] * extents[2];  // in one block
    if (rows == 0) return {};                                             // files omit empty datasets
    file.require_shape(dataset, extents);
    auto sums = large_zeros<double>(extents[0] * rows * row, pool);
    const std::int64_t piece = std::clamp<std::int64_t>(piece_elements / (rows * row), 1, extents[0]);
    auto part = large_zeros<T>(std::is_same_v<T, double> ? 0 : piece * rows * row, pool);
    for (std::int64_t block = 0; block < extents[0]; block += piece) {
        const std::int64_t blocks = std::min(piece, extents[0] - block);
        const Box box{{block, 0, 0, 0}, {blocks, extents[1], extents[2], row}};
        if constexpr (std::is_same_v<T, double>)
            file.read_box_to(dataset, box, sums.data() + block * rows * row);
        else
            file.read_box_to(dataset, box, part.data());
        share_out(pool, blocks * rows, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t k = begin; k < end; ++k) {
                const std::int64_t at = (block * rows + k) * row;
                const double most = static_cast<double>(count[block + k / rows]) * (1.0 + 1e-9);
                if constexpr (!std::is_same_v<T, double>)
                    std::copy_n(part.begin() + k * row, row, sums.begin() + at);
                check_range<double>(file, dataset, extents, std::span(sums).subspan(at, row),
                                    {one.low * most, one.high * most}, at);
            }
        });
    }
    return sums;
}

/// The factor by which rounded lengths of float spins may push a sum beyond its bounds.
constexpr double length_slack = 1.0 + 1e-4;

std::vector<double> read_sum(const InputFile& file, Sum series, const RunSums& run,
                             const std::vector<std::int64_t>& count, ThreadPool& pool) {
    const Extents extents = {std::ssize(count), run.components(series), run.temperatures, run.realizations};
    const std::string stored = stored_name(series);
    const Range<double> one = range_of(series, run).times(run.measured.vectors() ? length_slack : 1.0);
    if (is_integer(series, run.measured))
        return read_sums<std::int64_t>(file, stored, extents, count, one, pool);
    const int axes = info(series).of_axes != nullptr ? run.model.dimension : 1;
    return read_sums<double>(file, stored, extents, count, {one.low * axes, one.high * axes}, pool);
}

BinnedSums read_blocks(const InputFile& file, const RunSums& run, ThreadPool& pool) {
    const std::string group = schema::blocks_group;
    BinnedSums bins;
    file.require_shape(group + "/" + schema::edges, {-1});
    bins.edges = file.read<std::int64_t>(group + "/" + schema::edges).data;
    file.require_shape(group + "/" + schema::count, {-1});
    bins.count = file.read<std::int64_t>(group + "/" + schema::count).data;
    if (bins.edges != run.grid.block_edges(run.run_first, run.run_last))
        throw InputError(fmt::format("{}: {}/{} are not the blocks of the sweeps {} to {} ({} = {}, {} = {})",
                                     file.path(), group, schema::edges, run.run_first, run.run_last,
                                     schema::grid_base, run.grid.base, schema::grid_blocks, run.grid.blocks));
    std::vector<std::int64_t> expected;
    for (std::size_t b = 0; b + 1 < bins.edges.size(); ++b)
        expected.push_back(bins.edges[b + 1] / run.grid.measure_every -
                           bins.edges[b] / run.grid.measure_every);
    if (bins.count != expected)
        throw InputError(fmt::format("{}: {}/{} do not fit a measurement every {} sweeps", file.path(), group,
                                     schema::count, run.grid.measure_every));
    for (const SumInfo& row : sum_table)
        if (row.of(run.measured) && is_stored(row.sum))
            bins[row.sum] = read_sum(file, row.sum, run, bins.count, pool);
    return bins;
}

/// Turns sums of the bond energy Eb into sums of E = Eb - h M, with E^2 = Eb^2 - 2 h Eb M + h^2 M^2.
void add_field(RunSums& run) {
    if (!run.measured.field) return;
    const double h = run.model.field, squares = run.sites() * run.sites();
    const auto& M = run.blocks[Sum::magnetisation];
    const auto& EM = run.blocks[Sum::energy_magnetisation];
    const auto& m2 = run.blocks[Sum::magnetisation2];
    for (std::size_t i = 0; i < M.size(); ++i) {
        run.blocks[Sum::energy][i] -= h * M[i];
        run.blocks[Sum::energy2][i] += -2.0 * h * EM[i] + h * h * squares * m2[i];
    }
}

/// Returns the number of present bonds of each realization; empty if all bonds are present.
std::vector<double> bonds_of(const Disorder& disorder) {
    const auto each = static_cast<std::ptrdiff_t>(disorder.couplings.size()) / disorder.count;
    std::vector<double> bonds;
    bool all = true;
    for (std::int64_t r = 0; r < disorder.count; ++r) {
        const auto first = disorder.couplings.begin() + r * each;
        const auto absent = std::count(first, first + each, std::int8_t{0});
        bonds.push_back(static_cast<double>(each - absent));
        all = all && absent == 0;
    }
    return all ? std::vector<double>{} : bonds;
}

/// Reads exchanges and temperature walks of the sweeps (first, last].
void read_counts(const InputFile& file, RunSums& run) {
    const std::int64_t slots = run.temperatures - 1, sweeps = run.run_last - run.run_first;
    const Range<std::int64_t> exchanges{0, sweeps};  // a pair of slots exchanges at most once per sweep
    run.accepted =
        read_in_range(file, schema::tempering_accepted, {run.realizations, run.replicas, slots}, exchanges);
    run.attempted = read_in_range(file, schema::tempering_attempted, {slots}, exchanges);
    run.round_trips =
        read_in_range<std::int64_t>(file, schema::tempering_round_trips, {run.realizations, run.replicas},
                                    {0, run.temperatures * sweeps});
}

/// Reads the counts of Houdayer moves in the sweeps (first, last], if the file has them.
void read_houdayer(const InputFile& file, RunSums& run) {
    if (!file.has(schema::houdayer_moves)) return;
    const std::int64_t most = run.replicas / 2 * (run.run_last - run.run_first);
    const Extents slots = {run.realizations, run.temperatures};
    const auto read = [&](const char* dataset, const Extents& extents, std::int64_t high) {
        return read_in_range<std::int64_t>(file, dataset, extents, {0, high});
    };
    run.houdayer.moves = read(schema::houdayer_moves, {run.temperatures}, most);
    run.houdayer.clusters = read(schema::houdayer_clusters, slots, most);
    run.houdayer.sites = read(schema::houdayer_sites, slots, most * static_cast<std::int64_t>(run.sites()));
}

/// Returns the number of replicas, which the energies have as an axis.
int read_replicas(const InputFile& file, const RunSums& run) {
    const std::string energies = std::string(schema::blocks_group) + "/" + info(Sum::energy).name;
    file.require_shape(energies, {-1, -1, run.temperatures, run.realizations});
    const std::int64_t replicas = file.shape(energies)[1];
    if (replicas < 1 || replicas > limits::replicas)
        throw InputError(fmt::format("{}: dataset {} has {} replicas, but 1 to {} are possible", file.path(),
                                     energies, replicas, limits::replicas));
    return static_cast<int>(replicas);
}

/// Reads a histogram. Errors: InputError if a count exceeds the number of all measurements of all replica
/// pairs.
std::vector<std::uint32_t> read_histogram(const InputFile& file, const RunSums& run, const char* dataset) {
    constexpr std::int64_t largest = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t measurements =
        run.run_last / run.grid.measure_every - run.run_first / run.grid.measure_every;
    const std::int64_t most = std::min(largest / run.pairs(), measurements) * run.pairs();
    return read_in_range<std::uint32_t>(file, dataset,
                                        {run.temperatures, run.grid.histogram_bins, run.realizations},
                                        {0, static_cast<std::uint32_t>(most)});
}

/// Reads histograms of q_link and lowest energies.
void read_distributions(const InputFile& file, RunSums& run) {
    if (run.pairs() > 0 && run.measured.link_histogram())
        run.link_histogram = read_histogram(file, run, schema::histogram_link);
    if (!run.measured.lowest_energies()) return;
    const auto bonds = static_cast<std::int64_t>(run.lattice_bonds());
    const Extents coldest = {run.blocks.bins(), run.replicas, run.realizations};
    run.lowest_energy = read_in_range<std::int64_t>(file, schema::lowest_energy, coldest, {-bonds, bonds});
    const std::int64_t measurements = *std::ranges::max_element(run.blocks.count);
    run.lowest_count = read_in_range<std::int64_t>(file, schema::lowest_count, coldest, {0, measurements});
}

/// Checks that a run follows another run of the same batch.
void check_follows(const RunSums& run, const std::string& path, const RunSums& before,
                   const std::string& before_path) {
    if (run.first_realization != before.first_realization || run.realizations != before.realizations)
        throw InputError(fmt::format(
            "{} has the realizations {} to {}, but {} has {} to {}; give the run files of one batch", path,
            run.first_realization, run.first_realization + run.realizations - 1, before_path,
            before.first_realization, before.first_realization + before.realizations - 1));
    check_same_physics(path, without_lanes(run.physics), before_path, without_lanes(before.physics),
                       "give the run files of one study");
    if (run.couplings_hash != before.couplings_hash)
        throw InputError(
            fmt::format("{} and {} were made with different couplings; give the run files of one batch", path,
                        before_path));
    if (run.run_first < before.run_last)
        throw InputError(
            fmt::format("{} (sweeps {} to {}) and {} (sweeps {} to {}) have sweeps in common; give run files "
                        "that follow one another",
                        before_path, before.run_first, before.run_last, path, run.run_first, run.run_last));
    if (run.run_first > before.run_last)
        throw InputError(
            fmt::format("the sweeps {} to {} are missing: {} ends at {} and {} begins at {}; give all run "
                        "files of the batch",
                        before.run_last, run.run_first, before_path, before.run_last, path, run.run_first));
}

void check_batch(const RunSums& run, const std::string& path, const Parameters& parameters,
                 const std::string& disorder_path, const Disorder& disorder) {
    check_run_physics(path, run, parameters);
    if (run.L != parameters.L || run.replicas != parameters.replicas)
        throw InputError(
            fmt::format("{} has L = {} and {} replicas, but its {} says {} and {}; it is damaged", path,
                        run.L, run.replicas, schema::physics, parameters.L, parameters.replicas));
    if (run.first_realization != disorder.first || run.realizations != disorder.count)
        throw InputError(fmt::format("{} has the realizations {} to {}, but {} has {} to {}", path,
                                     run.first_realization, run.first_realization + run.realizations - 1,
                                     disorder_path, disorder.first, disorder.first + disorder.count - 1));
    if (run.couplings_hash != (disorder.hash.empty() ? couplings_hash(disorder.couplings) : disorder.hash))
        throw InputError(
            fmt::format("{} was made with other couplings than {} has; give the disorder file of the run",
                        path, disorder_path));
}

}  // namespace

void check_run_physics(const std::string& path, const RunSums& run, const Parameters& parameters) {
    check_same_physics(path, without_lanes(run.physics), "the configuration",
                       without_lanes(parameters.physics_yaml()),
                       "give the configuration the run was made with");
    if (run.temperature != parameters.temperatures)
        throw InputError(fmt::format("{}: /temperatures does not hold the temperatures of the run", path));
}

RunSums read_run(const InputFile& file, const Model& model, ThreadPool& pool) {
    RunSums run;
    run.model = model;
    run.measured = measured_in(file, measured_of(model, true));
    run.file_hashes[file.path()] = file.content_hash();
    const BatchAttributes batch = read_batch_attributes(file);
    const RunRange range = read_run_range(file);
    run.L = batch.L;
    run.first_realization = batch.first_realization;
    run.realizations = batch.realizations;
    run.run_first = range.first;
    run.run_last = range.last;
    run.grid = range.grid;
    run.physics = batch.physics;
    run.couplings_hash = read_couplings_hash(file);
    run.temperature = read_temperatures(file);
    run.temperatures = static_cast<int>(run.temperature.size());
    run.replicas = read_replicas(file, run);
    if (run.replicas == 1) run.measured.overlap_tensor = false;
    run.blocks = read_blocks(file, run, pool);
    if (run.pairs() > 0) run.histogram = read_histogram(file, run, schema::histogram_overlap);
    read_distributions(file, run);
    read_counts(file, run);
    read_houdayer(file, run);
    run.hottest = read_hottest(file, run);
    return run;
}

namespace {

/// Returns (first sweep, file), ascending. Errors: InputError unless all files have one grid, which is the
/// grid of the configuration except for its base.
std::vector<std::pair<std::int64_t, InputFile>> in_order(const std::vector<std::string>& paths,
                                                         const Parameters& parameters, int threads) {
    std::vector<std::pair<std::int64_t, InputFile>> order;
    std::optional<RunGrid> first;
    for (const std::string& path : paths) {
        InputFile file(path, schema::run, threads);
        const RunRange range = read_run_range(file);
        const RunGrid& grid = range.grid;
        check_same_grid(path, grid, "the configuration", run_grid(parameters), false,
                        "give the configuration the run was made with");
        if (!first) first = grid;
        check_same_grid(path, grid, paths.front(), *first, true, "give the run files of one study");
        order.emplace_back(range.first, std::move(file));
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first, a.second.path()) < std::pair(b.first, b.second.path());
    });
    return order;
}

}  // namespace

RunSums read_runs(const std::vector<std::string>& paths, const Parameters& parameters,
                  const std::string& disorder_path, const Disorder& disorder, bool from_snapshots,
                  const BackendChoice& choice, ThreadPool& pool) {
    if (paths.empty()) throw InputError("no run file is given; give one or more");
    const auto order = in_order(paths, parameters, choice.threads);
    RunSums all;
    std::string before;
    for (const auto& [first, file] : order) {
        const std::string& path = file.path();
        RunSums run = read_run(file, model_of(parameters), pool);
        run.correlated_replicas = parameters.dynamics.houdayer_every > 0;
        check_batch(run, path, parameters, disorder_path, disorder);
        if (!before.empty()) check_follows(run, path, all, before);
        if (before.empty() && first != 0)
            throw InputError(
                fmt::format("the sweeps 0 to {} are missing: {} begins at {}; give all run files "
                            "of the batch",
                            first, path, first));
        run.bonds = bonds_of(disorder);
        if (from_snapshots) sums_of_snapshots(run, file, parameters, disorder, choice);
        add_field(run);
        if (before.empty())
            all = std::move(run);
        else
            append_run(all, run);
        before = path;
    }
    return all;
}

}  // namespace psflip
