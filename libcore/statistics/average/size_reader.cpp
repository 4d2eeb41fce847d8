#include "statistics/average/size_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "config/keys.hpp"
#include "config/limits.hpp"
#include "io/batch_attributes.hpp"
#include "io/datasets.hpp"
#include "io/schema.hpp"
#include "statistics/equilibrium/equilibration.hpp"
#include "statistics/observable_ranges.hpp"

namespace psflip {

namespace {

/// Checks that realizations have consecutive numbers from the first number of the batch on.
void check_numbers(const InputFile& file, const BatchAttributes& batch) {
    const auto numbers = read_with_extents<std::int64_t>(file, schema::realization, {batch.realizations});
    for (std::int64_t r = 0; r < batch.realizations; ++r)
        if (numbers[r] != batch.first_realization + r)
            throw InputError(fmt::format("{}: dataset {} holds {} at [{}] instead of {}", file.path(),
                                         schema::realization, numbers[r], r, batch.first_realization + r));
}

std::vector<std::int64_t> read_edges(const InputFile& file) {
    const std::string dataset = std::string(schema::log2_group) + "/" + schema::edges;
    auto edges = read_ascending<std::int64_t>(file, dataset, {0, limits::sweeps});
    if (edges.size() < 2) throw InputError(fmt::format("{}: dataset {} holds no bin", file.path(), dataset));
    const std::int64_t run_last = file.integer_attribute(schema::run_last, 1, limits::sweeps);
    if (edges.back() != run_last)
        throw InputError(fmt::format("{}: dataset {} ends at {}, but {} = {}", file.path(), dataset,
                                     edges.back(), schema::run_last, run_last));
    return edges;
}

}  // namespace

ObservablesHeader read_header(const std::string& path) {
    const InputFile file(path, schema::observables);
    const BatchAttributes batch = read_batch_attributes(file);
    check_numbers(file, batch);
    return {path,
            batch.L,
            static_cast<int>(file.integer_attribute("replicas", 1, limits::replicas)),
            batch.first_realization,
            batch.realizations,
            batch.physics,
            read_temperatures(file),
            file.real_attribute(schema::discard, 0.0, 1.0),
            read_edges(file),
            file.has_attribute(schema::couplings_origin) ? file.text_attribute(schema::couplings_origin) : "",
            file.content_hash()};
}

std::vector<double> SizeReader::Mean::mean() const {
    std::vector<double> means;
    for (std::size_t t = 0; t < sum.size(); ++t) means.push_back(sum[t] / number[t]);
    return means;
}

SizeReader::SizeReader(const ObservablesHeader& first, const std::vector<std::int64_t>& log2_edges,
                       int comparisons, const Selection& selection, int threads)
    : selection_(selection), pool_(threads) {
    const InputFile file(first.path, schema::observables);
    size_.sample.L = first.L;
    size_.sample.temperature = first.temperature;
    size_.sample.measured = measured_of(selection.model, true);
    if (first.replicas == 1) size_.sample.measured.overlap_tensor = false;
    size_.sample.share = selection.share;
    size_.passing = size_.sample;
    size_.physics = first.physics;
    size_.replicas = first.replicas;
    const std::size_t temperatures = size_.sample.temperature.size();
    size_.swap_rate = RunningAverage(temperatures - 1);
    size_.round_trips = RunningAverage(1);
    size_.log2_edges = log2_edges;
    for (RunningAverage& log2 : size_.log2) log2 = RunningAverage((log2_edges.size() - 1) * temperatures);
    for (PairedBins& paired : paired_) paired = PairedBins(comparisons, static_cast<int>(temperatures));
    if (first.replicas > 1 && size_.sample.measured.overlaps) {
        file.require_shape(schema::histogram_overlap,
                           {static_cast<std::int64_t>(temperatures), -1, first.count});
        const std::int64_t bins = file.shape(schema::histogram_overlap)[1];
        const Key& key = *find_key("run.histogram_bins");
        if (static_cast<double>(bins) < key.low || static_cast<double>(bins) > key.high)
            throw InputError(fmt::format("{}: dataset {} has {} bins, but {} are possible", first.path,
                                         schema::histogram_overlap, bins, range_text(key)));
        const int dimension = selection.model.dimension;
        const auto sites = static_cast<std::int64_t>(std::pow(first.L, dimension));
        size_.overlaps = OverlapHistogram(sites, static_cast<int>(bins), selection.model.field == 0.0);
        size_.links = OverlapHistogram(sites / 2 * dimension, static_cast<int>(bins), false);
        size_.histogram = RunningAverage(temperatures * static_cast<std::size_t>(bins));
        size_.link_histogram = size_.histogram;
    }
}

/// Adds the values (temperature, realization) of the realizations that enter averages.
template <class T>
void SizeReader::add_to(Mean& mean, const std::vector<T>& values) const {
    mean.sum.resize(size_.sample.temperature.size(), 0.0);
    mean.number.resize(mean.sum.size(), 0.0);
    for (std::size_t t = 0; t < mean.sum.size(); ++t)
        for (const std::int64_t r : kept_) {
            const double value = values[t * count_ + r];
            if (std::isnan(value)) continue;
            mean.sum[t] += value;
            mean.number[t] += 1.0;
        }
}

void SizeReader::add(const ObservablesHeader& header) {
    const InputFile file(header.path, schema::observables, pool_.threads());
    size_.file_hashes[header.path] = header.hash;
    choose(file, header);
    add_means(file);
    add_covariances(file);
    if (selection_.share > 1) add_shared(file);
    const std::string tau = std::string(schema::tau_group) + "/";
    add_to(tau_energy_, read(file, tau + "energy", positive));
    add_to(tau_order_, read(file, tau + order_parameter(size_.sample.measured).observable->name, positive));
    add_tempering(file);
    add_houdayer(file);
    add_to(too_short_, read_in_range<std::uint8_t>(file, schema::tau_too_short,
                                                   {size_.sample.temperatures(), count_}, {0, 1}));
    add_bins(file, header);
    add_lowest(file);
    add_histograms(file);
}

SizeResults SizeReader::take() {
    if (!links_known_) {
        size_.links = {};
        size_.link_histogram = RunningAverage();
    }
    size_.passing.measured = size_.sample.measured;
    size_.tau_energy = tau_energy_.mean();
    size_.tau_order = tau_order_.mean();
    size_.too_short = too_short_.mean();
    for (int o = 0; o < n_binned_observables; ++o) size_.paired[o] = paired_[o].result();
    size_.drift = max_drift(size_.paired, size_.sample.temperatures());
    size_.hottest = hottest_.curve();
    return std::move(size_);
}

/// Sets first_, count_, kept_ and passing_, and stores numbers and verdicts.
void SizeReader::choose(const InputFile& file, const ObservablesHeader& header) {
    first_ = header.first;
    count_ = header.count;
    kept_.clear();
    passing_.clear();
    const auto equilibrated = read_in_range<std::uint8_t>(file, schema::equilibrated, {count_}, {0, 1});
    const auto deviation = read_in_range<double>(file, schema::max_deviation, {count_}, positive);
    std::vector<double> walk;
    if (size_.sample.temperatures() > 1)
        walk = read_in_range<double>(file, schema::tau_walk, {count_}, walk_times_range);
    note_basis(file);
    if (has_hottest_memory(size_.sample.measured))
        hottest_.add(file, count_, std::min(count_, selection_.realizations - first_),
                     hottest_reference(size_.sample.measured, size_.replicas, size_.sample.temperatures()));
    const auto moved = read_in_range<std::uint8_t>(file, schema::moved, {count_}, {0, 1});
    for (std::int64_t r = 0; r < count_ && first_ + r < selection_.realizations; ++r) {
        if (!moved[r]) ++size_.never_moved;
        size_.equilibrated.push_back(equilibrated[r]);
        size_.max_deviation.push_back(deviation[r]);
        if (!walk.empty()) size_.tau_walk.push_back(walk[r]);
        kept_.push_back(r);
        size_.sample.number.push_back(first_ + r);
        if (equilibrated[r]) {
            passing_.push_back(r);
            size_.passing.number.push_back(first_ + r);
        } else {
            size_.unequilibrated.push_back(first_ + r);
        }
    }
    size_.sample.realizations += static_cast<std::int64_t>(kept_.size());
    size_.passing.realizations += static_cast<std::int64_t>(passing_.size());
}

/// Stores the basis of the verdicts. If files were measured with different settings, all bases are joined.
void SizeReader::note_basis(const InputFile& file) {
    const std::string basis = file.text_attribute(schema::equilibration_basis);
    std::string& all = size_.verdict_basis;
    if (all.find(basis) != std::string::npos) return;
    all += (all.empty() ? "" : "; ") + basis;
}

/// Reads a dataset (temperature, realization).
std::vector<double> SizeReader::read(const InputFile& file, const std::string& dataset,
                                     const Range<double>& range) const {
    return read_in_range(file, dataset, {size_.sample.temperatures(), count_}, range);
}

void SizeReader::add_means(const InputFile& file) {
    const std::int64_t temperatures = size_.sample.temperatures();
    const auto has = [&](const char* name) { return file.has(std::string(schema::mean_group) + name); };
    const Measured& model = size_.sample.measured;
    if (!has("/m2_improved")) size_.sample.measured.clusters = false;
    if (!has("/m2") && model.overlaps && !model.field) size_.sample.measured.magnetisation = false;
    for (const ObservableInfo& row : observable_table) {
        if (!row.of(size_.sample.measured)) continue;
        const auto o = Observable(row);
        const std::string name = std::string("/") + row.name;
        const std::vector<double> part = read(file, schema::mean_group + name,
                                              range_of(Observable(row), size_.replicas, selection_.model));
        const auto error = read(file, schema::error_group + name, positive);
        if (size_.sample.realizations == 1 && !kept_.empty())
            for (std::int64_t t = 0; t < temperatures; ++t)
                size_.sample.thermal_error[o].push_back(error[t * count_ + kept_.front()]);
        std::vector<double>& all = size_.sample.values[o];
        for (const std::int64_t r : kept_)
            for (std::int64_t t = 0; t < temperatures; ++t) all.push_back(part[t * count_ + r]);
    }
}

/// Reads the covariances of a single realization.
void SizeReader::add_covariances(const InputFile& file) {
    if (size_.sample.realizations != 1 || kept_.empty()) return;
    for (int p = 0; p < n_shared_pairs; ++p) {
        const std::string name = fmt::format("{}/{}", schema::covariance_group, shared_pairs[p].name());
        if (!file.has(name)) continue;  // a file of several realizations
        const std::vector<double> covariance = read(file, name, finite);
        for (std::int64_t t = 0; t < size_.sample.temperatures(); ++t)
            size_.sample.thermal_covariance[p].push_back(covariance[t * count_ + kept_.front()]);
    }
}

void SizeReader::add_tempering(const InputFile& file) {
    const std::int64_t slots = size_.sample.temperatures() - 1;
    if (slots > 0) {
        const auto rate = read_in_range<double>(file, schema::swap_rate, {slots, count_}, {0.0, 1.0, true});
        for (const std::int64_t r : kept_)
            size_.swap_rate.add([&](std::size_t i) { return rate[i * count_ + r]; });
    }
    constexpr std::int64_t most = limits::sweeps * limits::temperatures * limits::replicas;
    const auto trips = read_in_range<std::int64_t>(file, schema::tempering_round_trips, {count_}, {0, most});
    const auto sweeps = read_in_range<std::int64_t>(file, schema::tempering_sweeps, {1}, {1, limits::sweeps});
    const double walker_sweeps =
        static_cast<double>(size_.sample.temperatures() * size_.replicas) * static_cast<double>(sweeps[0]);
    for (const std::int64_t r : kept_)
        size_.round_trips.add(
            [&](std::size_t) { return 1e6 * static_cast<double>(trips[r]) / walker_sweeps; });
}

/// Adds up counts over the realizations that enter averages, if the file has them.
void SizeReader::add_houdayer(const InputFile& file) {
    if (!file.has(schema::houdayer_moves)) return;
    const std::int64_t temperatures = size_.sample.temperatures();
    if (!size_.houdayer.known()) size_.houdayer = HoudayerCounts(1, temperatures);
    const std::int64_t moves = limits::sweeps * limits::replicas / 2;
    const auto add = [&](std::vector<std::int64_t>& sums, const char* dataset, std::int64_t most) {
        const auto counts = read_in_range<std::int64_t>(file, dataset, {temperatures, count_}, {0, most});
        for (std::int64_t t = 0; t < temperatures; ++t)
            for (const std::int64_t r : kept_) sums[t] += counts[t * count_ + r];
    };
    add(size_.houdayer.moves, schema::houdayer_moves, moves);
    add(size_.houdayer.clusters, schema::houdayer_clusters, moves);
    add(size_.houdayer.sites, schema::houdayer_sites, std::int64_t{1} << 53);
}

}  // namespace psflip
