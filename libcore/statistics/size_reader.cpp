#include "statistics/size_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "config/keys.hpp"
#include "config/limits.hpp"
#include "io/batch_attributes.hpp"
#include "io/datasets.hpp"
#include "io/schema.hpp"
#include "statistics/equilibration.hpp"

namespace psflip {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Of what has no natural bounds but is finite, or not there.
constexpr Range<double> finite = {-1e100, 1e100, true};

/// Of the thermal means of one realization, with room for rounding.
Range<double> range_of(Observable observable) {
    constexpr double one = 1.0 + 1e-9;
    switch (observable) {
        case Observable::energy:
            return {-3.0 * one, 3.0 * one, true};
        case Observable::energy2:
        case Observable::energy_product:
            return {-9.0 * one, 9.0 * one, true};
        case Observable::specific_heat:
            return finite;
        case Observable::q:
        case Observable::q_link:
            return {-one, one, true};
        default:
            return {0.0, one, true};
    }
}

std::vector<std::int64_t> read_edges(const InputFile& file) {
    const std::string dataset = std::string(schema::log2_group) + "/" + schema::edges;
    auto edges = read_ascending<std::int64_t>(file, dataset, {0, limits::sweeps});
    if (edges.size() < 2) throw InputError(fmt::format("{}: dataset {} holds no bin", file.path(), dataset));
    return edges;
}

}  // namespace

ObservablesHeader read_header(const std::string& path) {
    const InputFile file(path, schema::observables);
    const BatchAttributes batch = read_batch_attributes(file);
    return {
        path,
        batch.L,
        static_cast<int>(file.integer_attribute("replicas", 1, limits::replicas)),
        batch.first_realization,
        batch.realizations,
        batch.physics,
        read_temperatures(file),
        file.has_attribute(schema::discard) ? file.real_attribute(schema::discard, 0.0, 1.0) : nan_value,
        read_edges(file),
        file.has_attribute(schema::couplings_origin) ? file.text_attribute(schema::couplings_origin) : ""};
}

void SizeReader::Mean::add(std::size_t t, double value) {
    if (sum.size() <= t) {
        sum.resize(t + 1, 0.0);
        number.resize(t + 1, 0.0);
    }
    if (std::isnan(value)) return;
    sum[t] += value;
    number[t] += 1.0;
}

std::vector<double> SizeReader::Mean::mean() const {
    std::vector<double> means;
    for (std::size_t t = 0; t < sum.size(); ++t) means.push_back(sum[t] / number[t]);
    return means;
}

SizeReader::SizeReader(const ObservablesHeader& first, const std::vector<std::int64_t>& log2_edges,
                       int comparisons, const Selection& selection)
    : selection_(selection) {
    const InputFile file(first.path, schema::observables);
    size_.sample.L = first.L;
    size_.sample.temperature = first.temperature;
    size_.passing = size_.sample;
    size_.physics = first.physics;
    size_.replicas = first.replicas;
    const std::size_t temperatures = size_.sample.temperature.size();
    size_.swap_rate = RunningAverage(temperatures - 1);
    size_.round_trips = RunningAverage(1);
    size_.log2_edges = log2_edges;
    for (RunningAverage& log2 : size_.log2) log2 = RunningAverage((log2_edges.size() - 1) * temperatures);
    for (PairedBins& paired : paired_) paired = PairedBins(comparisons, static_cast<int>(temperatures));
    if (first.replicas > 1) {
        file.require_shape(schema::histogram_overlap,
                           {static_cast<std::int64_t>(temperatures), -1, first.count});
        const std::int64_t bins = file.shape(schema::histogram_overlap)[1];
        const Key& key = *find_key("run.histogram_bins");
        if (static_cast<double>(bins) < key.low || static_cast<double>(bins) > key.high)
            throw InputError(fmt::format("{}: dataset {} has {} bins, {} are possible", first.path,
                                         schema::histogram_overlap, bins, range_text(key)));
        size_.overlaps = OverlapHistogram(first.L, static_cast<int>(bins));
        size_.histogram = RunningAverage(temperatures * static_cast<std::size_t>(bins));
    }
}

void SizeReader::add(const ObservablesHeader& header) {
    const InputFile file(header.path, schema::observables);
    choose(file, header);
    add_means(file);
    if (selection_.share > 1) add_shared(file);
    add_tau(file, std::string(schema::tau_group) + "/energy", tau_energy_);
    add_tau(file, std::string(schema::tau_group) + "/q2", tau_q2_);
    add_tempering(file);
    add_too_short(file);
    add_bins(file, header);
    if (size_.overlaps.bins() > 0) add_histogram(file);
}

SizeResults SizeReader::take() {
    if (!pairs_known_)
        for (DisorderSample* sample : {&size_.sample, &size_.passing}) {
            for (std::vector<double>& sum : sample->shared_pair) sum.clear();
            sample->shared[static_cast<int>(Observable::kmin)].clear();
        }
    size_.tau_energy = tau_energy_.mean();
    size_.tau_q2 = tau_q2_.mean();
    size_.too_short = too_short_.mean();
    for (int o = 0; o < n_binned_observables; ++o) size_.paired[o] = paired_[o].result();
    size_.drift = largest_drift(size_.paired, size_.sample.temperatures());
    return std::move(size_);
}

/// Sets first_, count_, kept_ and passing_, and notes numbers and verdicts.
void SizeReader::choose(const InputFile& file, const ObservablesHeader& header) {
    first_ = header.first;
    count_ = header.count;
    kept_.clear();
    passing_.clear();
    const auto equilibrated = read_in_range<std::uint8_t>(file, schema::equilibrated, {count_}, {0, 1});
    const auto deviation =
        read_in_range<double>(file, schema::max_deviation, {count_}, {0.0, infinity, true});
    std::vector<double> walk;
    if (size_.sample.temperatures() > 1)
        walk = read_in_range<double>(file, schema::tau_walk, {count_}, {0.0, infinity, true});
    note_basis(file);
    std::vector<std::uint8_t> moved(count_, 1);  // not in older files
    if (file.has(schema::moved)) moved = read_in_range<std::uint8_t>(file, schema::moved, {count_}, {0, 1});
    for (std::int64_t r = 0; r < count_ && first_ + r < selection_.realizations; ++r) {
        if (!moved[r]) ++size_.never_moved;
        size_.realization.push_back(first_ + r);
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

/// Several bases, where files were measured with different settings, one after the other.
void SizeReader::note_basis(const InputFile& file) {
    const std::string basis =
        verdict_basis(file.text_attribute(schema::equilibration_test),
                      file.real_attribute(schema::min_walk_times, 0.0, 1e100), size_.sample.temperatures());
    std::string& all = size_.verdict_basis;
    if (all.find(basis) != std::string::npos) return;
    all += (all.empty() ? "" : "; ") + basis;
}

/// A dataset (temperature, realization).
std::vector<double> SizeReader::read(const InputFile& file, const std::string& dataset,
                                     const Range<double>& range) const {
    return read_in_range(file, dataset, {size_.sample.temperatures(), count_}, range);
}

void SizeReader::add_means(const InputFile& file) {
    const std::int64_t temperatures = size_.sample.temperatures();
    for (int o = 0; o < n_observables; ++o) {
        const auto observable = static_cast<Observable>(o);
        const auto part = read(file, std::string(schema::mean_group) + "/" + observable_name(observable),
                               range_of(observable));
        std::vector<double>& all = size_.sample.values[o];
        for (const std::int64_t r : kept_)
            for (std::int64_t t = 0; t < temperatures; ++t) all.push_back(part[t * count_ + r]);
    }
}

/// Older files have nothing for kmin and the pairs: then errors of functions of two averages are those of the
/// jackknife.
void SizeReader::add_shared(const InputFile& file) {
    const auto name = [](const char* of) { return std::string(schema::shared_group) + "/" + of; };
    pairs_known_ = pairs_known_ && file.has(name(shared_pairs[0].name));
    for (Observable o : shared_observables) {
        const int i = static_cast<int>(o);
        if (o != Observable::kmin || pairs_known_)
            add_shared(file, name(observable_name(o)), size_.sample.shared[i], size_.passing.shared[i]);
    }
    for (int p = 0; p < n_shared_pairs && pairs_known_; ++p)
        add_shared(file, name(shared_pairs[p].name), size_.sample.shared_pair[p],
                   size_.passing.shared_pair[p]);
}

void SizeReader::add_shared(const InputFile& file, const std::string& dataset, std::vector<double>& sum,
                            std::vector<double>& passing) {
    for (auto [places, into] : {std::pair{&kept_, &sum}, {&passing_, &passing}}) {
        const std::vector<double> parts = shared_parts(file, dataset, *places);
        into->resize(size_.sample.temperature.size(), 0.0);
        for (std::size_t i = 0; i < parts.size(); ++i) (*into)[i % into->size()] += parts[i];
    }
}

/// (pack) what part of its shared noise enters averages over the realizations at these places: of n
/// realizations m are; all pairs being alike, m (m - 1) / (n (n - 1)).
std::vector<double> SizeReader::pack_weights(const std::vector<std::int64_t>& places) const {
    const std::int64_t share = selection_.share, first_pack = first_ / share;
    const std::int64_t packs = (first_ + count_ - 1) / share - first_pack + 1;
    std::vector<double> all(packs, 0.0), there(packs, 0.0), weights(packs, 0.0);
    for (std::int64_t r = 0; r < count_; ++r) all[(first_ + r) / share - first_pack] += 1.0;
    for (const std::int64_t r : places) there[(first_ + r) / share - first_pack] += 1.0;
    for (std::int64_t p = 0; p < packs; ++p)
        if (there[p] > 1.0) weights[p] = (there[p] * (there[p] - 1.0)) / (all[p] * (all[p] - 1.0));
    return weights;
}

/// (pack, temperature) the shared noise that enters them.
std::vector<double> SizeReader::shared_parts(const InputFile& file, const std::string& dataset,
                                             const std::vector<std::int64_t>& places) const {
    const std::vector<double> weights = pack_weights(places);
    const std::int64_t temperatures = size_.sample.temperatures();
    const auto packs = static_cast<std::int64_t>(weights.size());
    const auto shared = read_in_range(file, dataset, {temperatures, packs}, finite);
    std::vector<double> parts;
    for (std::int64_t p = 0; p < packs; ++p)
        for (std::int64_t t = 0; t < temperatures; ++t)
            parts.push_back(weights[p] > 0.0 ? shared[t * packs + p] * weights[p] : 0.0);
    return parts;
}

void SizeReader::add_tau(const InputFile& file, const std::string& dataset, Mean& mean) {
    const auto tau = read(file, dataset, {0.0, infinity, true});
    for (std::int64_t t = 0; t < size_.sample.temperatures(); ++t)
        for (const std::int64_t r : kept_) mean.add(t, tau[t * count_ + r]);
}

void SizeReader::add_tempering(const InputFile& file) {
    const std::int64_t slots = size_.sample.temperatures() - 1;
    if (slots > 0) {
        const auto rate = read_in_range<double>(file, schema::swap_rate, {count_, slots}, {0.0, 1.0, true});
        for (const std::int64_t r : kept_)
            size_.swap_rate.add([&](std::size_t i) { return rate[r * slots + i]; });
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

void SizeReader::add_too_short(const InputFile& file) {
    const auto flags = read_in_range<std::uint8_t>(file, schema::tau_too_short,
                                                   {size_.sample.temperatures(), count_}, {0, 1});
    for (std::int64_t t = 0; t < size_.sample.temperatures(); ++t)
        for (const std::int64_t r : kept_) too_short_.add(t, flags[t * count_ + r]);
}

void SizeReader::add_bins(const InputFile& file, const ObservablesHeader& header) {
    const std::string group = std::string(schema::log2_group) + "/";
    const auto bins = static_cast<std::int64_t>(header.log2_edges.size()) - 1;
    const int temperatures = size_.sample.temperatures();
    const auto count = read_in_range<std::int64_t>(file, group + schema::count, {bins}, {1, limits::sweeps});
    for (int o = 0; o < n_binned_observables; ++o) {
        const std::string name = observable_name(binned_observables[o]);
        const auto values =
            read_in_range(file, group + name, {bins, temperatures, count_}, range_of(binned_observables[o]));
        add_log2(values, header.log2_edges, count, size_.log2[o]);
        paired_[o].add(values, count_, kept_);
        if (selection_.share == 1) continue;
        const auto excess = shared_parts(file, group + "pack_excess_" + name, kept_);
        const auto noise = shared_parts(file, group + "pack_noise_" + name, kept_);
        for (std::size_t i = 0; i < excess.size(); ++i)
            paired_[o].add_pack(static_cast<int>(i) % temperatures, excess[i], noise[i], count);
        const auto dof = file.integer_attribute(group + "pack_noise_" + name + "@dof", 0, limits::sweeps);
        const std::vector<double> weights = pack_weights(kept_);
        const auto none = std::count(weights.begin(), weights.end(), 0.0);
        paired_[o].add_dof(static_cast<double>(dof) * static_cast<double>(std::ssize(weights) - none));
    }
}

/// Mean of a log2 quantity per realization in the common bins: bins of the file between two common edges
/// weighted with their counts.
void SizeReader::add_log2(const std::vector<double>& bins, const std::vector<std::int64_t>& file_edges,
                          const std::vector<std::int64_t>& count, RunningAverage& average) {
    const std::int64_t temperatures = size_.sample.temperatures(), row = temperatures * count_;
    const std::vector<std::int64_t>& edges = size_.log2_edges;
    std::vector<double> sums((edges.size() - 1) * row, 0.0), counts(edges.size() - 1, 0.0);
    for (std::size_t b = 0; b < count.size(); ++b) {
        const auto above = std::upper_bound(edges.begin(), edges.end(), file_edges[b]);
        if (above == edges.begin() || above == edges.end()) continue;
        const std::size_t target = static_cast<std::size_t>(above - edges.begin()) - 1;
        counts[target] += static_cast<double>(count[b]);
        for (std::int64_t i = 0; i < row; ++i)
            sums[target * row + i] += static_cast<double>(count[b]) * bins[b * row + i];
    }
    for (const std::int64_t r : kept_)
        average.add([&](std::size_t i) {
            const std::size_t bin = i / temperatures, t = i % temperatures;
            return sums[bin * row + t * count_ + r] / counts[bin];
        });
}

void SizeReader::add_histogram(const InputFile& file) {
    const std::int64_t temperatures = size_.sample.temperatures(), bins = size_.overlaps.bins();
    const Extents extents = {temperatures, bins, count_};
    file.require_shape(schema::histogram_overlap, extents);
    const auto all = file.read<std::uint32_t>(schema::histogram_overlap).data;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] > 0 && !size_.overlaps.counts_in(static_cast<int>(i / count_ % bins)))
            throw InputError(fmt::format("{}: dataset {} holds {} at [{}], in a bin where q has no value",
                                         file.path(), schema::histogram_overlap, all[i],
                                         fmt::join(index_of(i, extents), ", ")));
    std::vector<double> counts(bins), density(temperatures * bins);
    for (const std::int64_t r : kept_) {
        for (std::int64_t t = 0; t < temperatures; ++t) {
            for (std::int64_t b = 0; b < bins; ++b) counts[b] = all[(t * bins + b) * count_ + r];
            size_.overlaps.density(counts, std::span(density).subspan(t * bins, bins));
        }
        size_.histogram.add([&](std::size_t i) { return density[i]; });
    }
}

}  // namespace psflip
