#include "statistics/run_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "config/physics_text.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"

namespace psflip {

namespace {

using Extents = std::vector<std::int64_t>;

template <class T>
std::vector<T> read_shaped(const InputFile& file, const std::string& dataset, const Extents& extents) {
    for (std::int64_t extent : extents)
        if (extent == 0) return {};  // datasets without elements are left out
    file.require_shape(dataset, extents);
    return file.read<T>(dataset).data;
}

BinnedSums read_bins(const InputFile& file, const std::string& group, const RunSums& run) {
    BinnedSums bins;
    bins.edges = file.read<std::int64_t>(group + "/" + schema::edges).data;
    bins.count = file.read<std::int64_t>(group + "/" + schema::count).data;
    if (bins.edges.size() < 2 || bins.edges.size() != bins.count.size() + 1 ||
        bins.edges.front() != run.run_first || bins.edges.back() != run.run_last ||
        !std::is_sorted(bins.edges.begin(), bins.edges.end(), std::less_equal<>()))
        throw InputError(fmt::format("{}: the bins of {} do not cover the sweeps {} to {}", file.path(),
                                     group, run.run_first, run.run_last));
    for (int s = 0; s < n_series; ++s) {
        const auto series = static_cast<Series>(s);
        const std::string name = group + "/" + series_name(series);
        const Extents extents = {bins.bins(), run.components(series), run.temperatures, run.realizations};
        if (integer_sums(series)) {
            const auto sums = read_shaped<std::int64_t>(file, name, extents);
            bins[series].assign(sums.begin(), sums.end());
        } else {
            bins[series] = read_shaped<double>(file, name, extents);
        }
    }
    return bins;
}

void check_counts(const InputFile& file, const RunSums& run) {
    std::int64_t in_bins = 0, in_blocks = 0;
    for (std::int64_t count : run.log2.count) in_bins += count;
    for (std::int64_t count : run.blocks.count) in_blocks += count;
    if (in_bins != in_blocks || in_bins < 1)
        throw InputError(fmt::format("{}: {} measurements in log2 bins, but {} in blocks", file.path(),
                                     in_bins, in_blocks));
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
    if (run.histogram_bins != before.histogram_bins)
        throw InputError(fmt::format("{} has {} histogram bins, but {} has {} (run.histogram_bins)", path,
                                     run.histogram_bins, before_path, before.histogram_bins));
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
    check_same_physics(path, run.physics, "the configuration", parameters.physics_yaml(),
                       "give the configuration the run was made with");
    if (run.temperature != parameters.temperatures)
        throw InputError(fmt::format("{}: /temperatures does not hold the temperatures of the run", path));
    if (run.first_realization != disorder.first || run.realizations != disorder.count)
        throw InputError(fmt::format("{} has the realizations {} to {}, but {} has {} to {}", path,
                                     run.first_realization, run.first_realization + run.realizations - 1,
                                     disorder_path, disorder.first, disorder.first + disorder.count - 1));
    if (run.couplings_hash != couplings_hash(disorder.couplings))
        throw InputError(
            fmt::format("{} was made with other couplings than those of {}", path, disorder_path));
}

}  // namespace

RunSums read_run(const std::string& path) {
    const InputFile file(path, schema::run);
    RunSums run;
    run.L = static_cast<int>(file.integer_attribute(schema::size));
    run.first_realization = file.integer_attribute(schema::first_realization);
    run.realizations = file.integer_attribute(schema::realizations);
    run.run_first = file.integer_attribute(schema::run_first);
    run.run_last = file.integer_attribute(schema::run_last);
    run.physics = file.text_attribute(schema::physics);
    run.couplings_hash = file.text_attribute(schema::couplings_hash);
    run.temperature = file.read<double>(schema::temperatures).data;
    run.temperatures = static_cast<int>(run.temperature.size());
    const std::string energies = std::string(schema::log2_group) + "/" + schema::energy;
    file.require_shape(energies, {-1, -1, run.temperatures, run.realizations});
    run.replicas = static_cast<int>(file.shape(energies)[1]);
    run.log2 = read_bins(file, schema::log2_group, run);
    run.blocks = read_bins(file, schema::blocks_group, run);
    check_counts(file, run);
    if (run.pairs() > 0) {
        file.require_shape(schema::histogram_overlap, {run.temperatures, -1, run.realizations});
        run.histogram_bins = static_cast<int>(file.shape(schema::histogram_overlap)[1]);
        run.histogram = file.read<std::uint32_t>(schema::histogram_overlap).data;
    }
    const std::int64_t slots = run.temperatures - 1;
    run.accepted =
        read_shaped<std::int64_t>(file, schema::tempering_accepted, {run.realizations, run.replicas, slots});
    run.attempted = read_shaped<std::int64_t>(file, schema::tempering_attempted, {slots});
    run.round_trips =
        read_shaped<std::int64_t>(file, schema::tempering_round_trips, {run.realizations, run.replicas});
    return run;
}

RunSums read_runs(const std::vector<std::string>& paths, const Parameters& parameters,
                  const std::string& disorder_path, const Disorder& disorder, bool from_snapshots,
                  const BackendChoice& choice) {
    if (paths.empty()) throw InputError("no run file is given");
    std::vector<std::pair<std::int64_t, std::string>> order;
    for (const std::string& path : paths)
        order.emplace_back(InputFile(path, schema::run).integer_attribute(schema::run_first), path);
    std::sort(order.begin(), order.end());
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
