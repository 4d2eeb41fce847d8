#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "io/datasets.hpp"
#include "io/schema.hpp"
#include "statistics/average/size_reader.hpp"

namespace psflip {

namespace {

/// Every temperature and realization of a histogram has as many counts. Extents: temperature, bin,
/// realization.
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
    throw InputError(fmt::format(
        "{}: dataset {} is damaged: every temperature and realization needs the same number of counts, there "
        "are {} and {}",
        file.path(), dataset, *least, *most));
}

}  // namespace

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

/// Counts (temperature, bin, realization).
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
