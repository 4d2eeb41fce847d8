#include "statistics/campaign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.hpp"
#include "base/log.hpp"
#include "config/physics_text.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"

namespace psflip {

namespace {

/// What is known of a file before its numbers are read.
struct Header {
    std::string path;
    int L, replicas;
    std::int64_t first, count;
    std::string physics;
    std::vector<std::int64_t> log2_edges;
};

Header read_header(const std::string& path) {
    const InputFile file(path, schema::observables);
    return {path,
            static_cast<int>(file.integer_attribute(schema::size)),
            static_cast<int>(file.integer_attribute("replicas")),
            file.integer_attribute(schema::first_realization),
            file.integer_attribute(schema::realizations),
            file.text_attribute(schema::physics),
            file.read<std::int64_t>(std::string(schema::log2_group) + "/" + schema::edges).data};
}

/// Headers sorted by size and first realization, checked against each other and the configuration.
std::vector<Header> sorted_headers(const Config& config, const std::vector<std::string>& paths) {
    std::vector<Header> headers;
    for (const std::string& path : paths) headers.push_back(read_header(path));
    std::sort(headers.begin(), headers.end(), [](const Header& a, const Header& b) {
        return std::tie(a.L, a.first, a.path) < std::tie(b.L, b.first, b.path);
    });
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const Header& header = headers[i];
        if (std::find(config.sizes.begin(), config.sizes.end(), header.L) == config.sizes.end())
            throw InputError(fmt::format("{} has L = {}, but the configuration lists lattice.L = [{}]",
                                         header.path, header.L, fmt::join(config.sizes, ", ")));
        check_same_physics(header.path, header.physics, "the configuration",
                           parameters_for(config, header.L).physics_yaml(),
                           "give the configuration the files were made with");
        if (i == 0 || headers[i - 1].L != header.L) continue;
        const Header& before = headers[i - 1];
        const std::int64_t last = before.first + before.count - 1;
        if (header.first <= last)
            throw InputError(fmt::format("{} and {} both hold realization {} of L = {}", before.path,
                                         header.path, header.first, header.L));
    }
    return headers;
}

/// Edges that all files of one size have, so that every bin holds all realizations.
std::vector<std::int64_t> common_edges(const std::vector<Header>& headers) {
    std::vector<std::int64_t> common = headers.front().log2_edges;
    for (const Header& header : headers) {
        std::vector<std::int64_t> both;
        std::set_intersection(common.begin(), common.end(), header.log2_edges.begin(),
                              header.log2_edges.end(), std::back_inserter(both));
        common = both;
    }
    return common;
}

/// (temperature, realization) of a file appended to (realization, temperature) of all.
void append_transposed(std::vector<double>& all, const std::vector<double>& part, std::int64_t temperatures,
                       std::int64_t realizations) {
    for (std::int64_t r = 0; r < realizations; ++r)
        for (std::int64_t t = 0; t < temperatures; ++t) all.push_back(part[t * realizations + r]);
}

/// Mean of a log2 quantity per realization in the common bins: bins of the file between two common edges
/// weighted with their counts.
void add_bins(RunningAverage& average, const InputFile& file, const std::string& name,
              const std::vector<std::int64_t>& edges, std::int64_t temperatures, std::int64_t realizations) {
    const std::string group = std::string(schema::log2_group) + "/";
    const auto file_edges = file.read<std::int64_t>(group + schema::edges).data;
    const auto count = file.read<std::int64_t>(group + schema::count).data;
    const std::int64_t row = temperatures * realizations;
    file.require_shape(group + name, {static_cast<std::int64_t>(count.size()), temperatures, realizations});
    const auto values = file.read<double>(group + name).data;
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
    for (std::int64_t r = 0; r < realizations; ++r)
        average.add([&](std::size_t i) {
            const std::size_t bin = i / temperatures, t = i % temperatures;
            return sums[bin * row + t * realizations + r] / counts[bin];
        });
}

void add_histogram(SizeResults& size, const InputFile& file, std::int64_t realizations) {
    const std::int64_t temperatures = size.sample.temperatures();
    const std::int64_t bins = size.histogram_bins;
    file.require_shape(schema::histogram_overlap, {temperatures, bins, realizations});
    const auto counts = file.read<std::uint32_t>(schema::histogram_overlap).data;
    std::vector<double> total(temperatures * realizations, 0.0);
    for (std::int64_t t = 0; t < temperatures; ++t)
        for (std::int64_t i = t * bins; i < (t + 1) * bins; ++i)
            for (std::int64_t r = 0; r < realizations; ++r)
                total[t * realizations + r] += counts[i * realizations + r];
    const double width = 2.0 / static_cast<double>(bins);
    for (std::int64_t r = 0; r < realizations; ++r)
        size.histogram.add([&](std::size_t i) {
            return counts[i * realizations + r] / (total[i / bins * realizations + r] * width);
        });
}

/// Sum and number of the autocorrelation times that exist.
struct TauSum {
    std::vector<double> sum, number;
    void add(const std::vector<double>& tau, std::size_t temperatures, std::size_t realizations) {
        sum.resize(temperatures, 0.0);
        number.resize(temperatures, 0.0);
        for (std::size_t i = 0; i < tau.size(); ++i) {
            if (std::isnan(tau[i])) continue;
            sum[i / realizations] += tau[i];
            number[i / realizations] += 1.0;
        }
    }
    std::vector<double> mean() const {
        std::vector<double> means;
        for (std::size_t t = 0; t < sum.size(); ++t) means.push_back(sum[t] / number[t]);
        return means;
    }
};

void add_file(SizeResults& size, const Header& header, TauSum& tau_energy, TauSum& tau_q2) {
    const InputFile file(header.path, schema::observables);
    const std::int64_t temperatures = size.sample.temperatures(), n = header.count;
    const auto read = [&](const std::string& dataset) {
        file.require_shape(dataset, {temperatures, n});
        return file.read<double>(dataset).data;
    };
    for (int o = 0; o < n_observables; ++o)
        append_transposed(
            size.sample.values[o],
            read(std::string(schema::mean_group) + "/" + observable_name(static_cast<Observable>(o))),
            temperatures, n);
    for (Observable o : shared_observables) {
        const std::string dataset = std::string(schema::shared_group) + "/" + observable_name(o);
        file.require_shape(dataset, {temperatures});
        const std::vector<double> shared = file.read<double>(dataset).data;
        std::vector<double>& sum = size.sample.shared[static_cast<int>(o)];
        sum.resize(temperatures, 0.0);
        for (std::int64_t t = 0; t < temperatures; ++t) sum[t] += shared[t];
    }
    tau_energy.add(read(std::string(schema::tau_group) + "/energy"), temperatures, n);
    tau_q2.add(read(std::string(schema::tau_group) + "/q2"), temperatures, n);
    size.sample.realizations += n;
    for (std::int64_t r = 0; r < n; ++r) size.realization.push_back(header.first + r);
    const auto append = [&](auto& all, const auto& part) { all.insert(all.end(), part.begin(), part.end()); };
    file.require_shape(schema::equilibrated, {n});
    append(size.equilibrated, file.read<std::uint8_t>(schema::equilibrated).data);
    file.require_shape(schema::max_deviation, {n});
    append(size.max_deviation, file.read<double>(schema::max_deviation).data);
    if (temperatures > 1) {
        file.require_shape(schema::swap_rate, {n, temperatures - 1});
        const auto rate = file.read<double>(schema::swap_rate).data;
        for (std::int64_t r = 0; r < n; ++r)
            size.swap_rate.add([&](std::size_t i) { return rate[r * (temperatures - 1) + i]; });
    }
    file.require_shape(schema::tempering_round_trips, {n});
    const auto trips = file.read<std::int64_t>(schema::tempering_round_trips).data;
    for (std::int64_t r = 0; r < n; ++r)
        size.round_trips.add([&](std::size_t) { return static_cast<double>(trips[r]); });
    add_bins(size.log2_energy, file, "energy", size.log2_edges, temperatures, n);
    add_bins(size.log2_q2, file, "q2", size.log2_edges, temperatures, n);
    if (size.histogram_bins > 0) add_histogram(size, file, n);
}

SizeResults read_size(const std::vector<Header>& headers) {
    const Header& first = headers.front();
    const InputFile file(first.path, schema::observables);
    SizeResults size;
    size.sample.L = first.L;
    size.sample.temperature = file.read<double>(schema::temperatures).data;
    size.physics = first.physics;
    size.replicas = first.replicas;
    const std::size_t temperatures = size.sample.temperature.size();
    size.swap_rate = RunningAverage(temperatures - 1);
    size.round_trips = RunningAverage(1);
    size.log2_edges = common_edges(headers);
    if (size.log2_edges.size() < 2)
        throw InputError(fmt::format("the runs of L = {} have no sweeps in common", first.L));
    size.log2_energy = RunningAverage((size.log2_edges.size() - 1) * temperatures);
    size.log2_q2 = size.log2_energy;
    if (first.replicas > 1) {
        file.require_shape(schema::histogram_overlap,
                           {static_cast<std::int64_t>(temperatures), -1, first.count});
        size.histogram_bins = static_cast<int>(file.shape(schema::histogram_overlap)[1]);
        size.histogram = RunningAverage(temperatures * size.histogram_bins);
    }
    TauSum tau_energy, tau_q2;
    for (const Header& header : headers) add_file(size, header, tau_energy, tau_q2);
    size.tau_energy = tau_energy.mean();
    size.tau_q2 = tau_q2.mean();
    return size;
}

}  // namespace

double SizeResults::equilibrated_fraction() const {
    const auto passed = std::count(equilibrated.begin(), equilibrated.end(), 1);
    return static_cast<double>(passed) / static_cast<double>(equilibrated.size());
}

std::vector<SizeResults> read_campaign(const Config& config, const std::vector<std::string>& paths) {
    if (paths.empty()) throw InputError("no observables file is given");
    const std::vector<Header> headers = sorted_headers(config, paths);
    std::vector<SizeResults> sizes;
    for (std::size_t begin = 0; begin < headers.size();) {
        std::size_t end = begin;
        while (end < headers.size() && headers[end].L == headers[begin].L) ++end;
        sizes.push_back(read_size({headers.begin() + static_cast<std::ptrdiff_t>(begin),
                                   headers.begin() + static_cast<std::ptrdiff_t>(end)}));
        const SizeResults& size = sizes.back();
        spdlog::info("L = {}: {} realizations (the study asks for {}), {:.1f}% equilibrated", size.sample.L,
                     size.sample.realizations, config.realizations, 100.0 * size.equilibrated_fraction());
        begin = end;
    }
    return sizes;
}

}  // namespace psflip
