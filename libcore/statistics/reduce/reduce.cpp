#include "statistics/reduce/reduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/regular_file.hpp"
#include "io/datasets.hpp"
#include "io/existing_file.hpp"
#include "io/file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/output/file_names.hpp"
#include "io/schema.hpp"
#include "statistics/average/campaign.hpp"
#include "statistics/file_datasets.hpp"
#include "statistics/reduce/results_csv.hpp"

namespace psflip {

namespace {

void write_average(OutputFile& file, const std::string& name, const Extents& extents,
                   const RunningAverage& average) {
    if (average.size() == 0) return;
    file.write(name, extents, average.mean());
    file.write(name + "_err", extents, average.error());
}

template <class T>
void write_list(OutputFile& file, const std::string& name, const std::vector<T>& values) {
    file.write(name, {std::ssize(values)}, values);
}

void write_histogram(OutputFile& file, const std::string& group, const SizeResults& size) {
    const int bins = size.overlaps.bins();
    if (bins == 0) return;
    std::vector<double> edges;
    for (int i = 0; i <= bins; ++i) edges.push_back(-1.0 + 2.0 * i / bins);
    write_list(file, group + "histogram_q_edges", edges);
    write_list(file, group + "histogram_q_width", size.overlaps.width());
    write_average(file, group + "histogram_density", {size.sample.temperatures(), bins}, size.histogram);
    file.write(group + "coldest_overlap_counts", {size.sample.realizations, bins}, size.coldest_counts);
    if (size.links.bins() == 0) return;
    write_list(file, group + "histogram_link_width", size.links.width());
    write_average(file, group + "histogram_link_density", {size.sample.temperatures(), bins},
                  size.link_histogram);
}

void write_realizations(OutputFile& file, const std::string& group, const SizeResults& size) {
    write_list(file, group + "realization", size.sample.number);
    write_list(file, group + "max_deviation", size.max_deviation);
    if (!size.tau_walk.empty()) write_list(file, group + "tau_walk", size.tau_walk);
    write_list(file, group + "equilibrated", size.equilibrated);
    if (!size.lowest_energy.empty()) {
        write_list(file, group + "lowest_energy", size.lowest_energy);
        write_list(file, group + "lowest_count", size.lowest_count);
        write_list(file, group + "lowest_first_half", size.lowest_first_half);
    }
    write_list(file, group + "unequilibrated", size.unequilibrated);
}

void write_paired(OutputFile& file, const std::string& group, const SizeResults& size) {
    const std::int64_t temperatures = size.sample.temperatures();
    for (int o = 0; o < n_binned_observables; ++o) {
        if (!is_binned(binned_observables[o], size.sample.measured)) continue;
        const std::string name = group + "paired_" + binned_observables[o]->name;
        const PairedDifference& paired = size.paired[o];
        const Extents extents = {std::ssize(paired.mean) / temperatures, temperatures};
        file.write(name, extents, paired.mean);
        file.write(name + "_err", extents, paired.error);
        file.write(name + "_z", extents, paired.z);
    }
}

void write_hottest(OutputFile& file, const std::string& group, const HottestCurve& hottest) {
    if (hottest.sweeps.empty()) return;
    write_list(file, group + "hottest_sweeps", hottest.sweeps);
    write_list(file, group + "hottest_correlation", hottest.correlation);
    write_list(file, group + "hottest_memory", hottest.memory);
    write_list(file, group + "hottest_time", std::vector<double>{hottest.time});
}

void write_attributes(OutputFile& file, const std::string& group, const SizeResults& size) {
    file.attribute(group + "@n_realizations", size.sample.realizations);
    file.attribute(group + "@never_moved", size.never_moved);
    file.attribute(group + "@verdict_basis", size.verdict_basis);
    file.attribute(group + "@errors",
                   std::string(size.sample.realizations > 1 ? "of the disorder average"
                                                            : "thermal, of one realization"));
    file.attribute(group + "@stationary", std::int64_t{size.stationary});
    file.attribute(group + "@largest_paired_z", size.drift.z);
    std::string warnings, kinds;
    for (const AnalysisWarning& warning : size.warnings) {
        warnings += warning.text + "\n";
        kinds += warning.kind + "\n";
    }
    file.attribute(group + "@warnings", warnings);
    file.attribute(group + "@warning_kinds", kinds);
    file.attribute(group + "@replicas", std::int64_t{size.replicas});
    file.attribute(group + "@physics", size.physics);
    if (!size.couplings_origin.empty())
        file.attribute(group + "@" + schema::couplings_origin, size.couplings_origin);
    file.attribute(group + "@specific_heat_estimator",
                   std::string(size.replicas > 1 ? "distinct replicas" : "one replica, block-corrected"));
}

/// Writes each average O as O<ending> and O<ending>_err.
void write_averages(OutputFile& file, const std::string& group, const Measured& measured,
                    const AverageTable& averages, const std::string& ending = "") {
    for (const Average average : averages_of(measured)) {
        std::vector<double> value, error;
        for (const Estimate& estimate : averages[average]) {
            value.push_back(estimate.value);
            error.push_back(estimate.error);
        }
        const std::string name = fmt::format("{}{}{}", group, average->name, ending);
        write_list(file, name, value);
        write_list(file, name + "_err", error);
    }
}

/// Adds a warning if errors are withheld.
void note_withheld(SizeResults& size, const AverageTable& averages) {
    std::vector<const char*> names;
    for (const Average average : withheld_errors(size.sample, averages)) names.push_back(average->name);
    if (names.empty()) return;
    size.warnings.push_back(
        {"withheld_errors",
         fmt::format("no errors of {} at some temperatures: realizations share random numbers there, and how "
                     "much that adds is known from 10 packs of {} realizations on; take more realizations, "
                     "or multispin.share: 1",
                     fmt::join(names, ", "), size.sample.share)});
    spdlog::warn("L = {}: {}", size.sample.L, size.warnings.back().text);
}

void write_size(OutputFile& file, const SizeResults& size, const AverageTable& averages) {
    const std::string name = "/L" + std::to_string(size.sample.L), group = name + "/";
    const std::int64_t temperatures = size.sample.temperatures();
    const auto write = [&](const std::string& dataset, const std::vector<double>& values) {
        write_list(file, group + dataset, values);
    };
    write("temperatures", size.sample.temperature);
    std::vector<double> beta;
    for (double t : size.sample.temperature) beta.push_back(1.0 / t);
    write("beta", beta);
    const Measured& measured = size.sample.measured;
    write_averages(file, group, measured, averages);
    write_averages(file, group, measured, passing_averages(size), "_passing");
    for (const Average average : averages_of(measured)) {
        if (const auto shared = shared_error(size.sample, average); !shared.empty())
            write(average->name + std::string("_err_shared"), shared);
    }
    if (temperatures > 1) write("swap_rate", size.swap_rate.mean());
    if (size.houdayer.known()) {
        write("houdayer_acceptance", size.houdayer_acceptance());
        write("houdayer_cluster_size", size.houdayer_cluster_size());
    }
    write("round_trips", std::vector<double>(temperatures, size.round_trips.mean()[0]));
    write("equilibrated_fraction", std::vector<double>(temperatures, size.equilibrated_fraction()));
    write("tau_energy", size.tau_energy);
    write(std::string("tau_") + order_parameter(measured).observable->name, size.tau_order);
    write_list(file, group + "log2_edges", size.log2_edges);
    for (int o = 0; o < n_binned_observables; ++o)
        if (is_binned(binned_observables[o], measured))
            write_average(file, group + "log2_" + binned_observables[o]->name,
                          {std::ssize(size.log2_edges) - 1, temperatures}, size.log2[o]);
    write("too_short", size.too_short);
    write_paired(file, group, size);
    write_histogram(file, group, size);
    write_realizations(file, group, size);
    write_hottest(file, group, size.hottest);
    write_attributes(file, name, size);
}

/// Writes the jackknife samples of all averages of all sizes.
void write_jackknife_samples(OutputFile& file, const std::vector<DisorderSample>& samples) {
    const std::vector<int> groups = groups_of(samples);
    write_list(file, schema::jackknife_groups, std::vector<std::int32_t>(groups.begin(), groups.end()));
    for (const Average average : averages_of(samples.front().measured))
        for (const DisorderSample& sample : samples)
            file.write(fmt::format("/L{}/{}/{}", sample.L, schema::jackknife, average->name),
                       {std::ssize(groups), sample.temperatures()},
                       jackknife_samples(sample, average, groups));
}

void check_names(const std::vector<std::string>& observables, const std::string& out,
                 const std::string& csv) {
    std::vector<NamedFile> inputs, outputs = {{"the output", out}};
    for (const std::string& path : observables) inputs.push_back({"the observables file", path});
    if (!csv.empty()) outputs.push_back({"the table", csv});
    check_file_names(inputs, outputs);
    if (!csv.empty()) check_writable(csv);
}

/// Returns what the file holds of a size and the new file will not hold; empty if nothing is lost.
std::string loss_of_size(const InputFile& file, int L, const std::vector<SizeResults>& sizes) {
    const std::string group = "/L" + std::to_string(L);
    if (!file.has(group)) return {};
    const auto same = [L](const SizeResults& size) { return size.sample.L == L; };
    const auto size = std::find_if(sizes.begin(), sizes.end(), same);
    if (size == sizes.end()) return fmt::format("it has L = {}, which this call does not have", L);
    std::string lines = other_lines(file.text_attribute(group + "@physics"), size->physics);
    const std::int64_t there = file.shape(group + "/realization").at(0);
    const auto now = size->sample.realizations;
    if (!lines.empty() || there <= now) return lines;
    return fmt::format("it has {} realizations of L = {}, but this call has {}", there, L, now);
}

void check_existing_reduced(const std::string& out, const std::vector<SizeResults>& sizes) {
    check_existing_file(out, schema::reduced, [&](const InputFile& file) {
        constexpr int largest = 1024;
        std::string loss;
        for (int L = 4; L <= largest && loss.empty(); L += 2) loss = loss_of_size(file, L, sizes);
        return loss;
    });
}

bool counts_houdayer(const std::vector<SizeResults>& sizes) {
    return std::ranges::any_of(sizes, [](const SizeResults& size) { return size.houdayer.known(); });
}

/// Checks that the table at `csv` has no row of another size or temperature, or of more realizations.
void check_existing_table(const std::string& csv, const std::vector<SizeResults>& sizes) {
    constexpr std::size_t max_bytes = std::size_t{1} << 26;
    const char* what = "table of results";
    const Measured& measured = sizes.front().sample.measured;
    const std::string there_now = read_if_there(csv, "the " + std::string(what), max_bytes).value_or("");
    const std::string without_counts = csv_header(measured, false);  // nothing is lost if counts are added
    const bool lacks_counts = there_now.substr(0, there_now.find('\n')) == without_counts;
    check_existing_text(csv, what,
                        lacks_counts ? without_counts : csv_header(measured, counts_houdayer(sizes)));
    std::map<std::string, std::int64_t> realizations;  // by "L,T"
    for (const SizeResults& size : sizes)
        for (const double temperature : size.sample.temperature)
            realizations[fmt::format("{},{}", size.sample.L, temperature)] = size.sample.realizations;
    std::istringstream rows(there_now);
    std::string row;
    for (std::getline(rows, row); std::getline(rows, row);) {
        std::istringstream fields(row);
        std::string L, temperature, beta;
        std::int64_t there = 0;
        std::getline(std::getline(std::getline(fields, L, ','), temperature, ','), beta, ',') >> there;
        const auto now = realizations.find(fmt::format("{},{}", L, temperature));
        if (now == realizations.end())
            refuse_loss(
                csv, what,
                fmt::format("it has T = {} of L = {}, which this call does not have", temperature, L));
        else if (there > now->second)
            refuse_loss(
                csv, what,
                fmt::format("it has {} realizations of L = {}, but this call has {}", there, L, now->second));
    }
}

/// Checks what outputs would replace. An empty name is an output that is not given.
void check_existing_outputs(const std::string& out, const std::string& csv, bool force,
                            const std::vector<SizeResults>& sizes) {
    if (force) return;
    if (!out.empty()) check_existing_reduced(out, sizes);
    if (!csv.empty()) check_existing_table(csv, sizes);
}

}  // namespace

void check_reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                           const std::string& out, const std::string& csv, bool force, int threads) {
    check_existing_outputs(out, csv, force, read_campaign(config, observables, threads));
}

void reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                     const std::string& out, const std::string& csv, const Provenance& provenance, bool force,
                     int threads) {
    check_names(observables, out, csv);
    std::vector<SizeResults> sizes = read_campaign(config, observables, threads);
    check_existing_outputs(out, csv, force, sizes);
    Provenance full = provenance;
    for (const SizeResults& size : sizes)
        full.input_hashes.insert(size.file_hashes.begin(), size.file_hashes.end());
    for (const std::string& path :
         observables)  // files may hold only realizations that the study does not ask for
        if (!full.input_hashes.contains(path))
            full.input_hashes[path] = InputFile(path, schema::observables).content_hash();

    const Measured measured = sizes.front().sample.measured;
    OutputFile file(
        out, schema::reduced, full,
        [&](const std::string& name) { return in_dimensions(reduced_dataset(name), measured.dimension); },
        threads);
    const bool houdayer = counts_houdayer(sizes);
    std::string table = csv_header(measured, houdayer) + "\n";
    std::vector<DisorderSample> samples;
    for (SizeResults& size : sizes) {
        const AverageTable averages = disorder_averages(size.sample);
        note_withheld(size, averages);
        write_size(file, size, averages);
        table += csv_rows(size, averages, houdayer);
        samples.push_back(std::move(size.sample));
    }
    write_jackknife_samples(file, samples);
    std::optional<AtomicFile> csv_file;
    if (!csv.empty()) {
        csv_file.emplace(csv);
        csv_file->write(table);
        csv_file->flush();
    }
    file.commit();
    if (csv_file) csv_file->commit();
}

}  // namespace psflip
