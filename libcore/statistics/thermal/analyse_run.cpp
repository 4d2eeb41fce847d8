#include "statistics/thermal/analyse_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/log.hpp"
#include "config/checks.hpp"
#include "config/limits.hpp"
#include "disorder/couplings.hpp"
#include "disorder/occupation.hpp"
#include "disorder/real_couplings.hpp"
#include "io/batch_attributes.hpp"
#include "io/datasets.hpp"
#include "io/existing_file.hpp"
#include "io/file.hpp"
#include "io/output/file_names.hpp"
#include "io/schema.hpp"
#include "statistics/equilibrium/hottest_slot.hpp"
#include "statistics/equilibrium/walk.hpp"
#include "statistics/file_datasets.hpp"
#include "statistics/thermal/run_input.hpp"
#include "statistics/thermal/shared_noise.hpp"
#include "statistics/thermal/thermal_means.hpp"

namespace psflip {

namespace {

void write_identity(OutputFile& file, const RunSums& run, const std::string& couplings_origin) {
    write_batch_attributes(file, run.first_realization, run.realizations, run.L, run.physics,
                           couplings_origin);
    file.attribute(schema::run_last, run.run_last);
    file.attribute("replicas", std::int64_t{run.replicas});
    file.attribute("specific_heat_estimator", run.replicas > 1 ? std::string("distinct replicas")
                                                               : std::string("one replica, block-corrected"));
    file.write(schema::temperatures, {run.temperatures}, run.temperature);
    std::vector<std::int64_t> numbers(run.realizations);
    std::iota(numbers.begin(), numbers.end(), run.first_realization);
    file.write(schema::realization, {run.realizations}, numbers);
    if (!run.bonds.empty())
        file.write(schema::bonds, {run.realizations},
                   std::vector<std::int64_t>(run.bonds.begin(), run.bonds.end()));
}

/// Returns the lines that two observables files of one batch have in common.
std::string batch_lines(const std::string& physics, std::int64_t first_realization,
                        std::int64_t realizations) {
    return fmt::format("{}\nfirst_realization: {}\nrealizations: {}\n", physics, first_realization,
                       realizations);
}

void check_existing_observables(const std::string& out, const RunSums& run) {
    check_existing_file(out, schema::observables, [&](const InputFile& file) {
        const BatchAttributes batch = read_batch_attributes(file);
        std::string lines =
            other_lines(batch_lines(batch.physics, batch.first_realization, batch.realizations),
                        batch_lines(run.physics, run.first_realization, run.realizations));
        const std::int64_t last = file.integer_attribute(schema::run_last, 1, limits::sweeps);
        if (!lines.empty() || last <= run.run_last) return lines;
        return fmt::format("it comes from {} sweeps, but these runs have {}", last, run.run_last);
    });
}

void write_means(OutputFile& file, const RunSums& run, const ThermalMeans& means) {
    const Extents extents = {run.temperatures, run.realizations};
    std::vector<OutputFile::Named> arrays;
    for (const ObservableInfo& row : observable_table) {
        if (!row.of(run.measured)) continue;
        const auto o = Observable(row);
        const std::string name = std::string("/") + row.name;
        arrays.push_back({schema::mean_group + name, extents, means.mean[o].data()});
        arrays.push_back({schema::error_group + name, extents, means.error[o].data()});
    }
    for (int p = 0; p < n_shared_pairs; ++p)
        if (!means.covariance[p].empty())
            arrays.push_back({fmt::format("{}/{}", schema::covariance_group, shared_pairs[p].name()), extents,
                              means.covariance[p].data()});
    arrays.push_back({std::string(schema::tau_group) + "/energy", extents, means.tau_energy.data()});
    const char* order = order_parameter(run.measured).observable->name;
    arrays.push_back({fmt::format("{}/{}", schema::tau_group, order), extents, means.tau_order.data()});
    file.write_all(arrays);
    file.write(schema::tau_blocks, extents, means.blocks);
    file.write(schema::tau_too_short, extents, means.too_short);
}

void write_shared(OutputFile& file, const BlockReader& reader, const std::vector<Pack>& packs,
                  ThreadPool& pool) {
    if (packs.empty()) return;
    const Extents extents = {reader.run().temperatures, std::ssize(packs)};
    const auto write = [&](const std::string& name, const std::vector<double>& values) {
        file.write(std::string(schema::shared_group) + "/" + name, extents, values);
    };
    const Measured& measured = reader.run().measured;
    for (const ObservableInfo& row : observable_table)
        if (row.shared == SharedNoise::known && row.of(measured))
            write(row.name, shared_covariance(reader, packs, Observable(row), Observable(row), pool));
    for (const SharedPair& pair : shared_pairs)
        if (pair.first->of(measured))
            write(pair.name(), shared_covariance(reader, packs, pair.first, pair.second, pool));
}

/// Writes averages with errors. Warns of the number of (temperature, realization) with runs too short for
/// errors.
ThermalMeans write_averages(OutputFile& file, const BlockReader& reader, const std::vector<Pack>& packs,
                            double discard, ThreadPool& pool) {
    file.attribute(schema::discard, discard);
    file.attribute(schema::averaged_from, reader.from());
    file.attribute(schema::measurements, static_cast<std::int64_t>(reader.total()));
    ThermalMeans means = thermal_means(reader, pool);
    log_step("average");
    write_means(file, reader.run(), means);
    log_step("write averages");
    write_shared(file, reader, packs, pool);
    log_step("average over share groups");
    const auto too_short = std::count(means.too_short.begin(), means.too_short.end(), 1);
    if (too_short > 0)
        spdlog::warn(
            "{} of {} thermal averages (temperatures times realizations) come from less than {} "
            "autocorrelation times, so their errors are too small; make the runs longer",
            too_short, reader.run().row(), 10 * BlockReader::min_blocks);
    const auto withheld = std::count(means.withheld.begin(), means.withheld.end(), 1);
    if (withheld > 0)
        spdlog::warn(
            "susceptibilities of moments and sublattices are withheld (NaN) in {} of {} places (temperatures "
            "times realizations): with one replica they are good only in runs of {} autocorrelation times of "
            "these moments; use two replicas, or longer runs",
            withheld, reader.run().row(), 10 * BlockReader::min_blocks);
    return means;
}

/// Returns 1 for each realization whose run is at least min_times as long as its time, else 0. Returns 1 for
/// all if times are not known.
std::vector<std::uint8_t> long_enough(const RunSums& run, const std::vector<double>& times,
                                      double min_times) {
    std::vector<std::uint8_t> enough(run.realizations, 1);
    for (std::size_t r = 0; r < times.size(); ++r)
        if (min_times * times[r] > static_cast<double>(run.run_last)) enough[r] = 0;
    return enough;
}

void write_equilibration(OutputFile& file, const RunSums& run, const EquilibrationTest& test,
                         const std::vector<double>& walk, const HottestMemory& hottest, const Config& config,
                         ThreadPool& pool) {
    const double min_times = config.equilibration.min_walk_times;
    const std::vector<std::uint8_t> walked = long_enough(run, walk, min_times), has_moved = moved(run, pool),
                                    forgets = long_enough(run, hottest.time, min_times);
    std::vector<std::uint8_t> agree, equilibrated;
    std::vector<double> deviation;
    std::vector<std::int32_t> worst;
    for (std::size_t r = 0; r < test.verdict.size(); ++r) {
        agree.push_back(test.verdict[r].equilibrated);
        equilibrated.push_back(config.equilibration.test == EquilibrationRule::none ||
                               (agree[r] && walked[r] && has_moved[r] && forgets[r]));
        deviation.push_back(test.verdict[r].max_deviation);
        worst.push_back(test.verdict[r].worst_temperature);
    }
    file.write(schema::equilibrated, {run.realizations}, equilibrated);
    file.write(schema::moved, {run.realizations}, has_moved);
    file.write(schema::max_deviation, {run.realizations}, deviation);
    file.write(schema::worst_temperature, {run.realizations}, worst);
    write_hottest_memory(file, hottest);
    const std::string group = "/equilibration";
    const Extents extents = {log2_comparisons, run.temperatures, run.realizations};
    file.write(group + "/sigma_energy", extents, test.sigma_energy);
    const std::string order = order_parameter(run.measured).observable->name;
    file.write(group + "/sigma_" + order, extents, test.sigma_order);
    file.write(group + "/dof_energy", {run.temperatures, run.realizations}, test.dof_energy);
    file.write(group + "/dof_" + order, {run.temperatures, run.realizations}, test.dof_order);
    const std::string basis = verdict_basis(config.equilibration.test, min_times, run.temperatures,
                                            run.measured, config.dynamics.houdayer_every > 0);
    file.attribute(schema::equilibration_test, name(config.equilibration.test));
    file.attribute(group + "@threshold_sigma", config.equilibration.threshold_sigma);
    file.attribute(schema::min_walk_times, min_times);
    file.attribute(schema::equilibration_basis, basis);
    const auto failed = [](const std::vector<std::uint8_t>& passed) { return std::ranges::count(passed, 0); };
    const std::string start =
        !hottest.sweeps.empty()
            ? fmt::format("in {} {}", failed(forgets),
                          hottest_fault(hottest_reference(run.measured, run.replicas, run.temperatures),
                                        run.temperatures))
        : run.temperatures > 1 ? "the hottest temperature was not tested"
                               : "no other start was tested";
    spdlog::info(
        "L = {}, realizations {} to {}, {} sweeps: {} of {} {}; {} fail the log2 test, {} have too slow a "
        "temperature walk, {} never moved, {}",
        run.L, run.first_realization, run.first_realization + run.realizations - 1, run.run_last,
        run.realizations - failed(equilibrated), run.realizations, is_tested(basis) ? "equilibrated" : "pass",
        failed(agree), failed(walked), failed(has_moved), start);
    if (const AnalysisWarning warning = basis_warning(basis); !warning.empty()) spdlog::warn(warning.text);
}

void write_pack_noise(OutputFile& file, const RunSums& run, const std::vector<std::int64_t>& edges,
                      const std::vector<Pack>& packs, ThreadPool& pool) {
    if (packs.empty()) return;
    const Extents extents = {run.temperatures, std::ssize(packs)};
    for (Observable o : binned_observables) {
        if (!is_binned(o, run.measured)) continue;
        const PackNoise noise = pack_noise(run, edges, packs, o, pool);
        const std::string name = std::string(schema::log2_group) + "/pack_noise_" + o->name;
        file.write(name, extents, noise.noise);
        file.attribute(name + "@dof", std::int64_t{noise.dof});
        file.write(std::string(schema::log2_group) + "/pack_excess_" + o->name, extents, noise.excess);
    }
}

void write_bins(OutputFile& file, const RunSums& run, const std::vector<std::int64_t>& edges,
                const std::vector<Pack>& packs, ThreadPool& pool) {
    std::vector<Sum> binned;
    for (Observable o : binned_observables)
        if (is_binned(o, run.measured)) binned.push_back(sum_of(o));
    const BinnedSums bins = merge_bins(run.blocks, edges, binned, pool);
    const std::string group = std::string(schema::log2_group) + "/";
    const Extents extents = {bins.bins(), run.temperatures, run.realizations};
    file.write(group + schema::edges, {bins.bins() + 1}, bins.edges);
    file.write(group + schema::count, {bins.bins()}, bins.count);
    for (Observable o : binned_observables)
        if (is_binned(o, run.measured))
            file.write(group + o->name, extents, bin_means(run, bins, sum_of(o), pool));
    write_pack_noise(file, run, edges, packs, pool);
    if (run.pairs() > 0)
        file.write(schema::histogram_overlap, {run.temperatures, run.grid.histogram_bins, run.realizations},
                   run.histogram);
    if (!run.link_histogram.empty())
        file.write(schema::histogram_link, {run.temperatures, run.grid.histogram_bins, run.realizations},
                   run.link_histogram);
}

/// Writes the lowest energies at the coldest temperature, over all replicas. If the first half of a run does
/// not reach the lowest energy, a run of twice the length may find a lower one. A first half without a block
/// has +3N.
void write_lowest(OutputFile& file, const RunSums& run) {
    if (run.lowest_energy.empty()) return;
    const std::int64_t R = run.realizations, half = averaged_from(run.blocks.edges, 0.5);
    std::vector<std::int64_t> energy(R, static_cast<std::int64_t>(run.lattice_bonds())), count(R, 0),
        first_half = energy;
    for (std::size_t i = 0; i < run.lowest_energy.size(); ++i) {
        const std::size_t r = i % R, block = i / R / run.replicas;
        const std::int64_t E = run.lowest_energy[i];
        if (E < energy[r]) count[r] = 0;
        energy[r] = std::min(energy[r], E);
        if (E == energy[r]) count[r] += run.lowest_count[i];
        if (run.blocks.edges[block + 1] <= half) first_half[r] = std::min(first_half[r], E);
    }
    file.write(schema::lowest_energy, {R}, energy);
    file.write(schema::lowest_count, {R}, count);
    file.write(schema::lowest_first_half, {R}, first_half);
}

void write_tempering(OutputFile& file, const RunSums& run) {
    const std::int64_t slots = run.temperatures - 1;
    std::vector<double> rate(run.realizations * slots, 0.0);
    std::vector<std::int64_t> trips(run.realizations, 0);
    for (std::int64_t r = 0; r < run.realizations; ++r) {
        for (int a = 0; a < run.replicas; ++a) {
            const std::int64_t lattice = r * run.replicas + a;
            if (!run.round_trips.empty()) trips[r] += run.round_trips[lattice];
            for (std::int64_t pair = 0; pair < slots; ++pair)
                rate[pair * run.realizations + r] +=
                    static_cast<double>(run.accepted[lattice * slots + pair]);
        }
        for (std::int64_t pair = 0; pair < slots; ++pair)
            rate[pair * run.realizations + r] /= static_cast<double>(run.attempted[pair] * run.replicas);
    }
    if (slots > 0) file.write(schema::swap_rate, {slots, run.realizations}, rate);
    file.write(schema::tempering_round_trips, {run.realizations}, trips);
    file.write(schema::tempering_sweeps, {1}, std::vector<std::int64_t>{run.run_last});
}

void write_houdayer(OutputFile& file, const RunSums& run) {
    if (!run.houdayer.known()) return;
    const std::int64_t T = run.temperatures, R = run.realizations;
    const auto write = [&](const char* dataset, const auto& count) {
        std::vector<std::int64_t> values;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t r = 0; r < R; ++r) values.push_back(count(t, r));
        file.write(dataset, {T, R}, values);
    };
    const HoudayerCounts& counts = run.houdayer;
    write(schema::houdayer_moves, [&](std::int64_t t, std::int64_t) { return counts.moves[t]; });
    write(schema::houdayer_clusters,
          [&](std::int64_t t, std::int64_t r) { return counts.clusters[r * T + t]; });
    write(schema::houdayer_sites, [&](std::int64_t t, std::int64_t r) { return counts.sites[r * T + t]; });
}

/// Returns the batch of an Occupation or of RealCouplings, which have no integer couplings, and its origin.
template <class Found>
std::pair<Disorder, std::string> without_couplings(const Parameters& parameters, Found found) {
    Disorder disorder;
    disorder.first = found.first;
    disorder.count = found.count;
    disorder.L = parameters.L;
    disorder.dimension = parameters.model.dimension;
    disorder.hash = std::move(found.hash);
    return {std::move(disorder), std::move(found.origin)};
}

/// Returns the couplings (none for vector spins and real couplings) and the origin of the disorder.
std::pair<Disorder, std::string> couplings_of(const Parameters& parameters, const std::string& path,
                                              bool from_snapshots, int threads) {
    const Model model = model_of(parameters);
    if (parameters.model.has_vectors())
        return without_couplings(parameters, read_occupation(path, occupation_law(parameters), threads));
    if (parameters.model.gaussian())
        return without_couplings(parameters, read_real_couplings(path, gaussian_law(parameters), threads));
    // Sums only need the number of absent bonds, and lattices with `lanes: sites` have none.
    const bool none = parameters.multispin.lanes == Lanes::sites &&
                      (!from_snapshots || model.kind == ModelKind::ferromagnet);
    const auto kept = none ? std::optional(HeldLattice{parameters.L, 0}) : std::nullopt;
    Disorder disorder = read_disorder(path, parameters.L, parameters.multispin.share, model, kept, threads);
    if (none && from_snapshots) check_all_ferromagnetic(path, disorder);
    std::string origin =
        couplings_origin(path, disorder, {parameters.seed, model, parameters.L}, parameters.multispin.share);
    return {std::move(disorder), std::move(origin)};
}

/// Snapshots of vector spins and of spins with real couplings are not counted again.
void check_from_snapshots(const Parameters& parameters, bool from_snapshots) {
    if (const char* const key = real_numbers_key(parameters.model); key != nullptr && from_snapshots)
        refuse_key(parameters, key, "does not go with measure --from-snapshots; leave the option out");
}

}  // namespace

void check_analyse_run(const Parameters& parameters, const AnalyseOptions& options) {
    check_from_snapshots(parameters, options.from_snapshots);
    if (options.disorder.empty()) {
        for (const std::string& path : options.runs)
            check_run_physics(path, read_run(InputFile(path, schema::run), model_of(parameters)), parameters);
        return;
    }
    const Disorder disorder =
        couplings_of(parameters, options.disorder, options.from_snapshots, options.backend.threads).first;
    if (options.runs.empty()) return;
    const RunSums run = read_runs(options.runs, parameters, options.disorder, disorder,
                                  options.from_snapshots, options.backend);
    if (!options.force && !options.out.empty()) check_existing_observables(options.out, run);
}

void analyse_run(const Config& config, const Parameters& parameters, const AnalyseOptions& options) {
    check_from_snapshots(parameters, options.from_snapshots);
    std::vector<NamedFile> inputs = {{"the disorder file", options.disorder}};
    for (const std::string& path : options.runs) inputs.push_back({"the run", path});
    check_file_names(inputs, {{"the output", options.out}});
    Provenance provenance = options.provenance;
    provenance.input_hashes[options.disorder] = InputFile(options.disorder, schema::disorder).content_hash();
    const auto [disorder, origin] =
        couplings_of(parameters, options.disorder, options.from_snapshots, options.backend.threads);
    ThreadPool pool(options.backend.threads);
    log_step("read couplings");
    const RunSums run = read_runs(options.runs, parameters, options.disorder, disorder,
                                  options.from_snapshots, options.backend, pool);
    log_step("read runs");
    if (!options.force) check_existing_observables(options.out, run);
    provenance.input_hashes.insert(run.file_hashes.begin(), run.file_hashes.end());
    const EquilibrationTest test =
        test_equilibration(run, parameters.run.blocks, config.equilibration.threshold_sigma, pool);
    log_step("test equilibrium");
    OutputFile file(
        options.out, schema::observables, provenance,
        [&](const std::string& name) {
            return in_dimensions(observables_dataset(name), run.model.dimension);
        },
        options.backend.threads);
    write_identity(file, run, origin);
    const BlockReader reader(run, parameters.run.blocks, parameters.run.discard, pool);
    log_step("merge blocks");
    const std::vector<Pack> packs = packs_of(reader, parameters.multispin.share, pool);
    log_step("find lengths of blocks");
    const ThermalMeans means = write_averages(file, reader, packs, parameters.run.discard, pool);
    const std::vector<double> walk = walk_times(run, parameters.run.blocks, pool);
    if (!walk.empty()) file.write(schema::tau_walk, {run.realizations}, walk);
    const auto reference = hottest_reference(run.measured, run.replicas, run.temperatures);
    const HottestMemory hottest = hottest_memory(run,
                                                 reference ? means.mean[static_cast<int>(*reference)].data() +
                                                                 (run.temperatures - 1) * run.realizations
                                                           : nullptr,
                                                 parameters.multispin.share);
    log_step("find times of walks and of the hottest slot");
    write_equilibration(file, run, test, walk, hottest, config, pool);
    log_step("write the test");
    write_bins(file, run, test.edges, packs, pool);
    log_step("write log2 curves");
    write_tempering(file, run);
    write_houdayer(file, run);
    write_lowest(file, run);
    log_step("write counts");
    file.commit();
    log_step("hash and flush");
}

}  // namespace psflip
