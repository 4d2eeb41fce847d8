#include "statistics/size_reader.hpp"

#include <algorithm>
#include <cmath>

#include "io/schema.hpp"
#include "statistics/equilibration.hpp"

namespace psflip {

ObservablesHeader read_header(const std::string& path) {
    const InputFile file(path, schema::observables);
    return {
        path,
        static_cast<int>(file.integer_attribute(schema::size)),
        static_cast<int>(file.integer_attribute("replicas")),
        file.integer_attribute(schema::first_realization),
        file.integer_attribute(schema::realizations),
        file.text_attribute(schema::physics),
        file.read<std::int64_t>(std::string(schema::log2_group) + "/" + schema::edges).data,
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
    size_.sample.temperature = file.read<double>(schema::temperatures).data;
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
        size_.histogram_bins = static_cast<int>(file.shape(schema::histogram_overlap)[1]);
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
    return std::move(size_);
}

/// Sets first_, count_ and kept_, and notes numbers and verdicts.
void SizeReader::choose(const InputFile& file, const ObservablesHeader& header) {
    first_ = header.first;
    count_ = header.count;
    kept_.clear();
    file.require_shape(schema::equilibrated, {count_});
    file.require_shape(schema::max_deviation, {count_});
    const auto equilibrated = file.read<std::uint8_t>(schema::equilibrated).data;
    const auto deviation = file.read<double>(schema::max_deviation).data;
    std::vector<double> walk;
    if (size_.sample.temperatures() > 1) {
        file.require_shape(schema::tau_walk, {count_});
        walk = file.read<double>(schema::tau_walk).data;
    }
    note_basis(file);
    std::vector<std::uint8_t> moved(count_, 1);  // not in older files
    if (file.has(schema::moved)) {
        file.require_shape(schema::moved, {count_});
        moved = file.read<std::uint8_t>(schema::moved).data;
    }
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
                      file.real_attribute(schema::min_walk_times), size_.sample.temperatures());
    std::string& all = size_.verdict_basis;
    if (all.find(basis) != std::string::npos) return;
    all += (all.empty() ? "" : "; ") + basis;
}

/// A dataset (temperature, realization).
std::vector<double> SizeReader::read(const InputFile& file, const std::string& dataset) const {
    file.require_shape(dataset, {size_.sample.temperatures(), count_});
    return file.read<double>(dataset).data;
}

void SizeReader::add_means(const InputFile& file) {
    const std::int64_t temperatures = size_.sample.temperatures();
    for (int o = 0; o < n_observables; ++o) {
        const auto part =
            read(file, std::string(schema::mean_group) + "/" + observable_name(static_cast<Observable>(o)));
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
    file.require_shape(dataset, {temperatures, packs});
    const auto shared = file.read<double>(dataset).data;
    sum.resize(temperatures, 0.0);
    for (std::int64_t t = 0; t < temperatures; ++t)
        for (std::int64_t p = 0; p < packs; ++p)
            if (kept[p] > 1.0)
                sum[t] += shared[t * packs + p] * (kept[p] * (kept[p] - 1.0)) / (all[p] * (all[p] - 1.0));
}

void SizeReader::add_tau(const InputFile& file, const std::string& dataset, Mean& mean) {
    const auto tau = read(file, dataset);
    for (std::int64_t t = 0; t < size_.sample.temperatures(); ++t)
        for (const std::int64_t r : kept_) mean.add(t, tau[t * count_ + r]);
}

void SizeReader::add_tempering(const InputFile& file) {
    const std::int64_t slots = size_.sample.temperatures() - 1;
    if (slots > 0) {
        file.require_shape(schema::swap_rate, {count_, slots});
        const auto rate = file.read<double>(schema::swap_rate).data;
        for (const std::int64_t r : kept_)
            size_.swap_rate.add([&](std::size_t i) { return rate[r * slots + i]; });
    }
    file.require_shape(schema::tempering_round_trips, {count_});
    const auto trips = file.read<std::int64_t>(schema::tempering_round_trips).data;
    for (const std::int64_t r : kept_)
        size_.round_trips.add([&](std::size_t) { return static_cast<double>(trips[r]); });
}

/// Mean of a log2 quantity per realization in the common bins: bins of the file between two common edges
/// weighted with their counts.
void SizeReader::add_bins(const InputFile& file, const std::string& name, RunningAverage& average) {
    const std::string group = std::string(schema::log2_group) + "/";
    const auto file_edges = file.read<std::int64_t>(group + schema::edges).data;
    const auto count = file.read<std::int64_t>(group + schema::count).data;
    const std::int64_t temperatures = size_.sample.temperatures(), row = temperatures * count_;
    file.require_shape(group + name, {static_cast<std::int64_t>(count.size()), temperatures, count_});
    const auto values = file.read<double>(group + name).data;
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
