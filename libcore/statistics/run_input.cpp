#include "statistics/run_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "config/physics_text.hpp"
#include "io/datasets.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"

namespace psflip {

namespace {

BinnedSums read_blocks(const InputFile& file, const RunSums& run) {
    const std::string group = schema::blocks_group;
    BinnedSums bins;
    bins.edges = file.read<std::int64_t>(group + "/" + schema::edges).data;
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
        throw InputError(fmt::format("{}: {}/{} are not those of a measurement every {} sweeps", file.path(),
                                     group, schema::count, run.grid.measure_every));
    for (int s = 0; s < n_series; ++s) {
        const auto series = static_cast<Series>(s);
        const std::string name = group + "/" + series_name(series);
        const Extents extents = {bins.bins(), run.components(series), run.temperatures, run.realizations};
        if (integer_sums(series)) {
            const auto sums = read_with_extents<std::int64_t>(file, name, extents);
            bins[series].assign(sums.begin(), sums.end());
        } else {
            bins[series] = read_with_extents<double>(file, name, extents);
        }
    }
    return bins;
}

RunGrid grid_of(const InputFile& file) {
    const std::optional<RunGrid> grid = read_grid(file);
    if (!grid)
        throw InputError(fmt::format("{}: the attribute {} is missing", file.path(), schema::grid_base));
    return *grid;
}

/// The grid of a run file, and the sweeps that it covers on it.
void read_range(const InputFile& file, RunSums& run) {
    run.run_first = file.integer_attribute(schema::run_first);
    run.run_last = file.integer_attribute(schema::run_last);
    run.grid = grid_of(file);
    if ((run.run_first != 0 && !run.grid.is_end(run.run_first)) || !run.grid.is_end(run.run_last) ||
        run.run_last <= run.run_first)
        throw InputError(fmt::format("{}: {} = {} and {} = {} are not ends of runs with {} = {}", file.path(),
                                     schema::run_first, run.run_first, schema::run_last, run.run_last,
                                     schema::grid_base, run.grid.base));
}

/// A run that follows another of the same batch.
void check_follows(const RunSums& run, const std::string& path, const RunSums& before,
                   const std::string& before_path) {
    if (run.first_realization != before.first_realization || run.realizations != before.realizations)
        throw InputError(fmt::format(
            "{} has the realizations {} to {}, but {} has {} to {}; give the run files of one batch", path,
            run.first_realization, run.first_realization + run.realizations - 1, before_path,
            before.first_realization, before.first_realization + before.realizations - 1));
    check_same_physics(path, run.physics, before_path, before.physics, "give the run files of one study");
    if (run.couplings_hash != before.couplings_hash)
        throw InputError(fmt::format("{} and {} were made with different couplings", path, before_path));
    if (run.run_first < before.run_last)
        throw InputError(fmt::format("{} (sweeps {} to {}) and {} (sweeps {} to {}) have sweeps in common",
                                     before_path, before.run_first, before.run_last, path, run.run_first,
                                     run.run_last));
    if (run.run_first > before.run_last)
        throw InputError(
            fmt::format("the sweeps {} to {} are missing: {} ends at {} and {} begins at {}; give all run "
                        "files of the batch",
                        before.run_last, run.run_first, before_path, before.run_last, path, run.run_first));
}

void check_batch(const RunSums& run, const std::string& path, const Parameters& parameters,
                 const std::string& disorder_path, const Disorder& disorder) {
    check_run_physics(path, run, parameters);
    if (run.first_realization != disorder.first || run.realizations != disorder.count)
        throw InputError(fmt::format("{} has the realizations {} to {}, but {} has {} to {}", path,
                                     run.first_realization, run.first_realization + run.realizations - 1,
                                     disorder_path, disorder.first, disorder.first + disorder.count - 1));
    if (run.couplings_hash != couplings_hash(disorder.couplings))
        throw InputError(
            fmt::format("{} was made with other couplings than those of {}", path, disorder_path));
}

}  // namespace

void check_run_physics(const std::string& path, const RunSums& run, const Parameters& parameters) {
    check_same_physics(path, run.physics, "the configuration", parameters.physics_yaml(),
                       "give the configuration the run was made with");
    if (run.temperature != parameters.temperatures)
        throw InputError(fmt::format("{}: /temperatures does not hold the temperatures of the run", path));
}

RunSums read_run(const std::string& path) {
    const InputFile file(path, schema::run);
    RunSums run;
    run.L = static_cast<int>(file.integer_attribute(schema::size));
    run.first_realization = file.integer_attribute(schema::first_realization);
    run.realizations = file.integer_attribute(schema::realizations);
    read_range(file, run);
    run.physics = file.text_attribute(schema::physics);
    run.couplings_hash = file.text_attribute(schema::couplings_hash);
    run.temperature = file.read<double>(schema::temperatures).data;
    run.temperatures = static_cast<int>(run.temperature.size());
    const std::string energies = std::string(schema::blocks_group) + "/" + schema::energy;
    file.require_shape(energies, {-1, -1, run.temperatures, run.realizations});
    run.replicas = static_cast<int>(file.shape(energies)[1]);
    run.blocks = read_blocks(file, run);
    run.walker_slot = read_with_extents<std::int64_t>(
        file, std::string(schema::blocks_group) + "/" + schema::walker_slot,
        {run.blocks.bins(), run.replicas, run.temperatures, run.realizations});
    if (run.pairs() > 0)
        run.histogram = read_with_extents<std::uint32_t>(
            file, schema::histogram_overlap, {run.temperatures, run.grid.histogram_bins, run.realizations});
    const std::int64_t slots = run.temperatures - 1;
    run.accepted = read_with_extents<std::int64_t>(file, schema::tempering_accepted,
                                                   {run.realizations, run.replicas, slots});
    run.attempted = read_with_extents<std::int64_t>(file, schema::tempering_attempted, {slots});
    run.round_trips = read_with_extents<std::int64_t>(file, schema::tempering_round_trips,
                                                      {run.realizations, run.replicas});
    return run;
}

namespace {

/// (first sweep, path), ascending; all on one grid, which is that of the configuration but for the base.
std::vector<std::pair<std::int64_t, std::string>> in_order(const std::vector<std::string>& paths,
                                                           const Parameters& parameters) {
    std::vector<std::pair<std::int64_t, std::string>> order;
    std::optional<RunGrid> first;
    for (const std::string& path : paths) {
        const InputFile file(path, schema::run);
        const RunGrid grid = grid_of(file);
        check_same_grid(path, grid, "the configuration", run_grid(parameters), false,
                        "give the configuration the run was made with");
        if (!first) first = grid;
        check_same_grid(path, grid, paths.front(), *first, true, "give the run files of one study");
        order.emplace_back(file.integer_attribute(schema::run_first), path);
    }
    std::sort(order.begin(), order.end());
    return order;
}

}  // namespace

RunSums read_runs(const std::vector<std::string>& paths, const Parameters& parameters,
                  const std::string& disorder_path, const Disorder& disorder, bool from_snapshots,
                  const BackendChoice& choice) {
    if (paths.empty()) throw InputError("no run file is given");
    const auto order = in_order(paths, parameters);
    RunSums all;
    std::string before;
    for (const auto& [first, path] : order) {
        RunSums run = read_run(path);
        check_batch(run, path, parameters, disorder_path, disorder);
        if (!before.empty()) check_follows(run, path, all, before);
        if (before.empty() && first != 0)
            throw InputError(
                fmt::format("the sweeps 0 to {} are missing: {} begins at {}; give all run files "
                            "of the batch",
                            first, path, first));
        if (from_snapshots) sums_of_snapshots(run, path, parameters, disorder, choice);
        if (before.empty())
            all = std::move(run);
        else
            append_run(all, run);
        before = path;
    }
    return all;
}

}  // namespace psflip
