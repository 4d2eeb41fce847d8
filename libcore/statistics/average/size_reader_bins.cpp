#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "io/schema.hpp"
#include "statistics/average/size_reader.hpp"
#include "statistics/observable_ranges.hpp"

namespace psflip {

void SizeReader::add_shared(const InputFile& file) {
    const auto name = [](const std::string& of) { return std::string(schema::shared_group) + "/" + of; };
    const Measured& measured = size_.sample.measured;
    for (const ObservableInfo& row : observable_table) {
        const auto i = Observable(row);
        if (row.shared == SharedNoise::known && row.of(measured))
            add_shared(file, name(row.name), size_.sample.shared[i], size_.passing.shared[i]);
    }
    for (int p = 0; p < n_shared_pairs; ++p)
        if (shared_pairs[p].first->of(measured))
            add_shared(file, name(shared_pairs[p].name()), size_.sample.shared_pair[p],
                       size_.passing.shared_pair[p]);
}

void SizeReader::add_shared(const InputFile& file, const std::string& dataset, std::vector<double>& sum,
                            std::vector<double>& passing) {
    const std::vector<double> shared = read_packs(file, dataset);
    for (auto [places, into] : {std::pair{&kept_, &sum}, {&passing_, &passing}}) {
        const std::vector<double> parts = shared_parts(shared, *places);
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

/// A dataset (temperature, pack).
std::vector<double> SizeReader::read_packs(const InputFile& file, const std::string& dataset) const {
    const std::int64_t packs = (first_ + count_ - 1) / selection_.share - first_ / selection_.share + 1;
    return read_in_range(file, dataset, {size_.sample.temperatures(), packs}, finite);
}

/// (pack, temperature) the part of noise (temperature, pack) that enters them.
std::vector<double> SizeReader::shared_parts(const std::vector<double>& shared,
                                             const std::vector<std::int64_t>& places) const {
    const std::vector<double> weights = pack_weights(places);
    const std::int64_t temperatures = size_.sample.temperatures();
    const auto packs = static_cast<std::int64_t>(weights.size());
    std::vector<double> parts;
    for (std::int64_t p = 0; p < packs; ++p)
        for (std::int64_t t = 0; t < temperatures; ++t)
            parts.push_back(weights[p] > 0.0 ? shared[t * packs + p] * weights[p] : 0.0);
    return parts;
}

void SizeReader::add_bins(const InputFile& file, const ObservablesHeader& header) {
    const std::string group = std::string(schema::log2_group) + "/";
    const auto bins = static_cast<std::int64_t>(header.log2_edges.size()) - 1;
    const int temperatures = size_.sample.temperatures();
    const auto count = read_in_range<std::int64_t>(file, group + schema::count, {bins}, {1, limits::sweeps});
    for (std::int64_t b = 0; b < bins; ++b)
        if (count[b] > header.log2_edges[b + 1] - header.log2_edges[b])
            throw InputError(fmt::format("{}: dataset {} holds {} at [{}], more than that bin has sweeps",
                                         file.path(), group + schema::count, count[b], b));
    for (int o = 0; o < n_binned_observables; ++o) {
        if (!is_binned(binned_observables[o], size_.sample.measured)) continue;
        const std::string name = binned_observables[o]->name;
        const auto values = read_in_range(file, group + name, {bins, temperatures, count_},
                                          range_of(binned_observables[o], size_.replicas, selection_.model));
        add_log2(values, header.log2_edges, count, size_.log2[o]);
        paired_[o].add(values, count_, kept_);
        if (selection_.share == 1) continue;
        const std::string noise_name = fmt::format("{}pack_noise_{}", group, name);
        const auto excess =
            shared_parts(read_packs(file, fmt::format("{}pack_excess_{}", group, name)), kept_);
        const auto noise = shared_parts(read_packs(file, noise_name), kept_);
        for (std::size_t i = 0; i < excess.size(); ++i)
            paired_[o].add_pack(static_cast<int>(i) % temperatures, excess[i], noise[i], count);
        const auto dof = file.integer_attribute(noise_name + "@dof", 0, limits::sweeps);
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

}  // namespace psflip
