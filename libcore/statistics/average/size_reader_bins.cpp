// Reads log2 bins, histograms and shared noise of observables files (SizeReader in size_reader.hpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "io/datasets.hpp"
#include "io/schema.hpp"
#include "statistics/average/size_reader.hpp"
#include "statistics/observable_ranges.hpp"

namespace psflip {

namespace {

/// Checks that all temperatures and realizations of a histogram have equally many counts. `extents` are
/// temperature, bin, realization.
void check_totals(const InputFile& file, const std::string& dataset, const Extents& extents,
                  const std::vector<std::uint32_t>& counts, ThreadPool& pool) {
    const std::int64_t temperatures = extents[0], bins = extents[1], realizations = extents[2];
    std::vector<std::uint64_t> total(temperatures * realizations, 0);
    share_out(pool, temperatures, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin * bins; i < end * bins; ++i)
            for (std::int64_t r = 0; r < realizations; ++r)
                total[i / bins * realizations + r] += counts[i * realizations + r];
    });
    const auto [least, most] = std::minmax_element(total.begin(), total.end());
    if (*least == *most && *least > 0) return;
    throw InputError(
        fmt::format("{}: dataset {} is damaged: every temperature and realization needs the same number of "
                    "counts, but there are {} and {}",
                    file.path(), dataset, *least, *most));
}

}  // namespace

void SizeReader::add_shared(const InputFile& file) {
    const auto add = [&](const std::string& name, std::vector<double>& sum, std::vector<double>& passing) {
        const auto shared = read_packs(file, fmt::format("{}/{}", schema::shared_group, name));
        for (auto [places, into] : {std::pair{&kept_, &sum}, {&passing_, &passing}}) {
            const std::vector<double> parts = shared_parts(shared, *places);
            into->resize(size_.sample.temperature.size(), 0.0);
            for (std::size_t i = 0; i < parts.size(); ++i) (*into)[i % into->size()] += parts[i];
        }
    };
    const Measured& measured = size_.sample.measured;
    for (int o = 0; o < n_observables; ++o)
        if (observable_table[o].shared == SharedNoise::known && observable_table[o].of(measured))
            add(observable_table[o].name, size_.sample.shared[o], size_.passing.shared[o]);
    for (int p = 0; p < n_shared_pairs; ++p)
        if (shared_pairs[p].first->of(measured))
            add(shared_pairs[p].name(), size_.sample.shared_pair[p], size_.passing.shared_pair[p]);
}

/// Returns for each share group the fraction of its shared noise that enters averages over the realizations
/// at `places`. For m of n realizations this is m (m - 1) / (n (n - 1)), because all pairs of realizations
/// are equivalent.
std::vector<double> SizeReader::pack_weights(const std::vector<std::int64_t>& places) const {
    const std::int64_t share = selection_.share, first_pack = first_ / share;
    std::vector<double> all(packs(), 0.0), there(packs(), 0.0), weights(packs(), 0.0);
    for (std::int64_t r = 0; r < count_; ++r) all[(first_ + r) / share - first_pack] += 1.0;
    for (const std::int64_t r : places) there[(first_ + r) / share - first_pack] += 1.0;
    for (std::int64_t p = 0; p < packs(); ++p)
        if (there[p] > 1.0) weights[p] = (there[p] * (there[p] - 1.0)) / (all[p] * (all[p] - 1.0));
    return weights;
}

/// Reads a dataset (temperature, share group).
std::vector<double> SizeReader::read_packs(const InputFile& file, const std::string& dataset) const {
    return read_in_range(file, dataset, {size_.sample.temperatures(), packs()}, finite);
}

/// Returns the noise (share group, temperature) that enters averages over `places`, from the noise
/// (temperature, share group).
std::vector<double> SizeReader::shared_parts(const std::vector<double>& shared,
                                             const std::vector<std::int64_t>& places) const {
    const std::vector<double> weights = pack_weights(places);
    std::vector<double> parts;
    for (std::int64_t p = 0; p < packs(); ++p)
        for (std::int64_t t = 0; t < size_.sample.temperatures(); ++t)
            parts.push_back(weights[p] > 0.0 ? shared[t * packs() + p] * weights[p] : 0.0);
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

/// Adds the mean of a log2 quantity of each realization in the common bins. Bins of the file between two
/// common edges are weighted with their counts.
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

std::vector<std::uint32_t> SizeReader::read_counts(const InputFile& file, const std::string& dataset,
                                                   const OverlapHistogram& histogram) {
    const Extents extents = {size_.sample.temperatures(), histogram.bins(), count_};
    file.require_shape(dataset, extents);
    auto counts = file.read<std::uint32_t>(dataset).data;
    share_out(pool_, extents[0] * extents[1], [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            if (histogram.counts_in(static_cast<int>(row % histogram.bins()))) continue;
            for (std::int64_t i = row * count_; i < (row + 1) * count_; ++i)
                if (counts[i] > 0)
                    throw InputError(fmt::format("{}: dataset {} holds {} at [{}], in a bin without a value",
                                                 file.path(), dataset, counts[i],
                                                 fmt::join(index_of(i, extents), ", ")));
        }
    });
    check_totals(file, dataset, extents, counts, pool_);
    return counts;
}

/// Adds the densities of the counts (temperature, bin, realization).
void SizeReader::add_densities(const std::vector<std::uint32_t>& counts, const OverlapHistogram& histogram,
                               RunningAverage& average) {
    const std::int64_t bins = histogram.bins();
    share_out(pool_, size_.sample.temperatures(), [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> own(bins), density(bins);
        for (std::int64_t t = begin; t < end; ++t) {
            std::int64_t sample = average.samples();
            for (const std::int64_t r : kept_) {
                ++sample;
                for (std::int64_t b = 0; b < bins; ++b) own[b] = counts[(t * bins + b) * count_ + r];
                histogram.density(own, density);
                for (std::int64_t b = 0; b < bins; ++b) average.put(t * bins + b, density[b], sample);
            }
        }
    });
    average.count_samples(std::ssize(kept_));
}

void SizeReader::add_histograms(const InputFile& file) {
    if (size_.overlaps.bins() == 0) return;
    const auto counts = read_counts(file, schema::histogram_overlap, size_.overlaps);
    add_densities(counts, size_.overlaps, size_.histogram);
    for (const std::int64_t r : kept_)
        for (std::int64_t b = 0; b < size_.overlaps.bins(); ++b)
            size_.coldest_counts.push_back(counts[b * count_ + r]);
    links_known_ = links_known_ && size_.sample.measured.lowest_energies() && !file.has(schema::bonds);
    if (links_known_)
        add_densities(read_counts(file, schema::histogram_link, size_.links), size_.links,
                      size_.link_histogram);
}

void SizeReader::add_lowest(const InputFile& file) {
    if (!size_.sample.measured.lowest_energies()) return;
    const int dimension = selection_.model.dimension;
    const auto most = static_cast<std::int64_t>(dimension * std::pow(size_.sample.L, dimension));
    const auto add = [&](const char* dataset, const Range<std::int64_t>& range,
                         std::vector<std::int64_t>& all) {
        const auto part = read_in_range<std::int64_t>(file, dataset, {count_}, range);
        for (const std::int64_t r : kept_) all.push_back(part[r]);
    };
    add(schema::lowest_energy, {-most, most}, size_.lowest_energy);
    add(schema::lowest_count,
        {1, size_.replicas * file.integer_attribute(schema::run_last, 1, limits::sweeps)},
        size_.lowest_count);
    add(schema::lowest_first_half, {-most, most}, size_.lowest_first_half);
}

}  // namespace psflip
