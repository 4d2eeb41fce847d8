#include "statistics/size_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
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
                       const Selection& selection)
    : selection_(selection) {
    const InputFile file(first.path, schema::observables);
    size_.sample.L = first.L;
    size_.sample.temperature = first.temperature;
    size_.physics = first.physics;
    size_.replicas = first.replicas;
    const std::size_t temperatures = size_.sample.temperature.size();
    size_.swap_rate = RunningAverage(temperatures - 1);
    size_.round_trips = RunningAverage(1);
    size_.log2_edges = log2_edges;
    size_.log2_energy = RunningAverage((log2_edges.size() - 1) * temperatures);
    size_.log2_q2 = size_.log2_energy;
    if (first.replicas > 1) {
        file.require_shape(schema::histogram_overlap,
                           {static_cast<std::int64_t>(temperatures), -1, first.count});
        const std::int64_t bins = file.shape(schema::histogram_overlap)[1];
        const Key& key = *find_key("run.histogram_bins");
        if (static_cast<double>(bins) < key.low || static_cast<double>(bins) > key.high)
            throw InputError(fmt::format("{}: dataset {} has {} bins, {} are possible", first.path,
                                         schema::histogram_overlap, bins, range_text(key)));
        size_.histogram_bins = static_cast<int>(bins);
        size_.histogram = RunningAverage(temperatures * size_.histogram_bins);
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
    add_bins(file, "energy", size_.log2_energy);
    add_bins(file, "q2", size_.log2_q2);
    if (size_.histogram_bins > 0) add_histogram(file);
}

SizeResults SizeReader::take() {
    if (!pairs_known_)
        for (std::vector<double>& sum : size_.sample.shared_pair) sum.clear();
    size_.tau_energy = tau_energy_.mean();
    size_.tau_q2 = tau_q2_.mean();
    size_.hottest = hottest_.curve();
    return std::move(size_);
}

/// Sets first_, count_ and kept_, and notes numbers and verdicts.
void SizeReader::choose(const InputFile& file, const ObservablesHeader& header) {
    first_ = header.first;
    count_ = header.count;
    kept_.clear();
    const auto equilibrated = read_in_range<std::uint8_t>(file, schema::equilibrated, {count_}, {0, 1});
    const auto deviation =
        read_in_range<double>(file, schema::max_deviation, {count_}, {0.0, infinity, true});
    std::vector<double> walk;
    if (size_.sample.temperatures() > 1)
        walk = read_in_range<double>(file, schema::tau_walk, {count_}, {0.0, infinity, true});
    note_basis(file);
    hottest_.add(file, count_, std::min(count_, selection_.realizations - first_), size_.replicas);
    std::vector<std::uint8_t> moved(count_, 1);  // not in older files
    if (file.has(schema::moved)) moved = read_in_range<std::uint8_t>(file, schema::moved, {count_}, {0, 1});
    for (std::int64_t r = 0; r < count_ && first_ + r < selection_.realizations; ++r) {
        if (!moved[r]) ++size_.never_moved;
        size_.realization.push_back(first_ + r);
        size_.equilibrated.push_back(equilibrated[r]);
        size_.max_deviation.push_back(deviation[r]);
        if (!walk.empty()) size_.tau_walk.push_back(walk[r]);
        if (!equilibrated[r]) size_.unequilibrated.push_back(first_ + r);
        if (!equilibrated[r] && selection_.drop_unequilibrated) continue;
        kept_.push_back(r);
        size_.sample.number.push_back(first_ + r);
    }
    size_.sample.realizations += static_cast<std::int64_t>(kept_.size());
}

/// Several bases, where files were measured with different settings, one after the other.
void SizeReader::note_basis(const InputFile& file) {
    const std::string basis =
        verdict_basis(file.text_attribute(schema::equilibration_test),
                      file.real_attribute(schema::min_walk_times, 0.0, 1e100), size_.sample.temperatures(),
                      file.has(schema::hottest_memory_sweeps));
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
    for (Observable o : shared_observables)
        if (o != Observable::kmin || pairs_known_)
            add_shared(file, name(observable_name(o)), size_.sample.shared[static_cast<int>(o)]);
    for (int p = 0; p < n_shared_pairs && pairs_known_; ++p)
        add_shared(file, name(shared_pairs[p].name), size_.sample.shared_pair[p]);
}

/// The shared noise of a pack of n realizations of which m are kept: all pairs being alike, the part
/// m (m - 1) / (n (n - 1)).
void SizeReader::add_shared(const InputFile& file, const std::string& dataset, std::vector<double>& sum) {
    const std::int64_t temperatures = size_.sample.temperatures(), share = selection_.share;
    const std::int64_t first_pack = first_ / share, packs = (first_ + count_ - 1) / share - first_pack + 1;
    std::vector<double> all(packs, 0.0), kept(packs, 0.0);
    for (std::int64_t r = 0; r < count_; ++r) all[(first_ + r) / share - first_pack] += 1.0;
    for (const std::int64_t r : kept_) kept[(first_ + r) / share - first_pack] += 1.0;
    const auto shared = read_in_range(file, dataset, {temperatures, packs}, finite);
    sum.resize(temperatures, 0.0);
    for (std::int64_t t = 0; t < temperatures; ++t)
        for (std::int64_t p = 0; p < packs; ++p)
            if (kept[p] > 1.0)
                sum[t] += shared[t * packs + p] * (kept[p] * (kept[p] - 1.0)) / (all[p] * (all[p] - 1.0));
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
    for (const std::int64_t r : kept_)
        size_.round_trips.add([&](std::size_t) { return static_cast<double>(trips[r]); });
}

/// Mean of a log2 quantity per realization in the common bins: bins of the file between two common edges
/// weighted with their counts.
void SizeReader::add_bins(const InputFile& file, const std::string& name, RunningAverage& average) {
    const std::string group = std::string(schema::log2_group) + "/";
    const auto file_edges = read_edges(file);
    const std::int64_t file_bins = static_cast<std::int64_t>(file_edges.size()) - 1;
    const auto count =
        read_in_range<std::int64_t>(file, group + schema::count, {file_bins}, {0, limits::sweeps});
    const std::int64_t temperatures = size_.sample.temperatures(), row = temperatures * count_;
    const auto values = read_in_range(file, group + name, {file_bins, temperatures, count_},
                                      range_of(name == "energy" ? Observable::energy : Observable::q2));
    const std::vector<std::int64_t>& edges = size_.log2_edges;
    const std::size_t bins = edges.size() - 1;
    std::vector<double> sums(bins * row, 0.0), counts(bins, 0.0);
    for (std::size_t b = 0; b < count.size(); ++b) {
        const auto above = std::upper_bound(edges.begin(), edges.end(), file_edges[b]);
        if (above == edges.begin() || above == edges.end() || count[b] == 0) continue;
        const std::size_t target = static_cast<std::size_t>(above - edges.begin()) - 1;
        counts[target] += static_cast<double>(count[b]);
        for (std::int64_t i = 0; i < row; ++i)
            sums[target * row + i] += static_cast<double>(count[b]) * values[b * row + i];
    }
    for (const std::int64_t r : kept_)
        average.add([&](std::size_t i) {
            const std::size_t bin = i / temperatures, t = i % temperatures;
            return sums[bin * row + t * count_ + r] / counts[bin];
        });
}

void SizeReader::add_histogram(const InputFile& file) {
    const std::int64_t temperatures = size_.sample.temperatures(), bins = size_.histogram_bins;
    file.require_shape(schema::histogram_overlap, {temperatures, bins, count_});
    const auto counts = file.read<std::uint32_t>(schema::histogram_overlap).data;
    std::vector<double> total(temperatures * count_, 0.0);
    for (std::int64_t t = 0; t < temperatures; ++t)
        for (std::int64_t i = t * bins; i < (t + 1) * bins; ++i)
            for (std::int64_t r = 0; r < count_; ++r) total[t * count_ + r] += counts[i * count_ + r];
    const double width = 2.0 / static_cast<double>(bins);
    for (const std::int64_t r : kept_)
        size_.histogram.add(
            [&](std::size_t i) { return counts[i * count_ + r] / (total[i / bins * count_ + r] * width); });
}

}  // namespace psflip
