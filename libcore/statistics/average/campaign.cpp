#include "statistics/average/campaign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/numbers.hpp"
#include "config/physics_text.hpp"
#include "io/schema.hpp"
#include "statistics/average/size_reader.hpp"
#include "statistics/equilibrium/equilibration.hpp"

namespace psflip {

namespace {

using Header = ObservablesHeader;

/// Returns the headers sorted by size and first realization. Errors: InputError if they contradict each other
/// or the configuration.
std::vector<Header> sorted_headers(const Config& config, const std::vector<std::string>& paths) {
    std::vector<Header> headers;
    for (const std::string& path : paths) {
        Header header = read_header(path);
        if (header.first < config.disorder.realizations)
            headers.push_back(std::move(header));
        else
            spdlog::info(
                "{} begins at realization {}, beyond disorder.realizations = {}, so the file is not used",
                path, header.first, config.disorder.realizations);
    }
    if (headers.empty())
        throw InputError(fmt::format(
            "no file holds a realization below disorder.realizations = {}; give files of this study",
            config.disorder.realizations));
    std::sort(headers.begin(), headers.end(), [](const Header& a, const Header& b) {
        return std::tie(a.L, a.first, a.path) < std::tie(b.L, b.first, b.path);
    });
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const Header& header = headers[i];
        if (std::find(config.sizes.begin(), config.sizes.end(), header.L) == config.sizes.end())
            throw InputError(fmt::format("{} has L = {}, but the configuration lists lattice.L = [{}]",
                                         header.path, header.L, fmt::join(config.sizes, ", ")));
        const Parameters parameters = parameters_for(config, header.L);
        check_same_physics(header.path, without_lanes(header.physics), "the configuration",
                           without_lanes(parameters.physics_yaml()),
                           "give the configuration the files were made with");
        if (header.temperature != parameters.temperatures || header.replicas != parameters.replicas)
            throw InputError(
                fmt::format("{}: {} or the number of replicas do not match its {}; it is damaged",
                            header.path, schema::temperatures, schema::physics));
        if (header.discard != config.run.discard)
            throw InputError(
                fmt::format("{} was averaged with run.discard = {}, but the configuration has {}; measure "
                            "the runs again, or give the configuration the file was made with",
                            header.path, header.discard, config.run.discard));
        if (i == 0 || headers[i - 1].L != header.L) continue;
        const Header& before = headers[i - 1];
        const std::int64_t last = before.first + before.count - 1;
        if (header.first <= last)
            throw InputError(
                fmt::format("{} and {} both hold realization {} of L = {}; give each realization once",
                            before.path, header.path, header.first, header.L));
    }
    return headers;
}

/// Returns the edges that all files of one size have, so that every bin holds all realizations.
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

/// Returns the number of log2 bins before the last bin that all files have.
int comparisons_of(const std::vector<Header>& headers) {
    std::size_t least = headers.front().log2_edges.size();
    for (const Header& header : headers) least = std::min(least, header.log2_edges.size());
    return static_cast<int>(least) - 2;
}

/// Returns a text like "3, 17-19, 40 and 1200 more".
std::string ranges(const std::vector<std::int64_t>& numbers) {
    constexpr int most = 200;
    std::string text;
    int shown = 0;
    for (std::size_t i = 0; i < numbers.size(); ++shown) {
        if (shown == most) return fmt::format("{} and {} more", text, numbers.size() - i);
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
        if (last > i) text += fmt::format("-{}", numbers[last]);
        i = last + 1;
    }
    return text;
}

/// Returns the number of files whose couplings gen-disorder did not draw, with the longest description of
/// them. Returns an empty text if there is no such file.
std::string origin_of(const std::vector<Header>& headers) {
    std::int64_t others = 0;
    std::string fullest;
    for (const Header& header : headers) {
        if (header.couplings_origin.empty()) continue;
        ++others;
        if (header.couplings_origin.size() > fullest.size()) fullest = header.couplings_origin;
    }
    return others == 0 ? "" : fmt::format("{} of {} files: {}", others, headers.size(), fullest);
}

SizeResults read_size(const Config& config, const std::vector<Header>& headers, int threads) {
    const int L = headers.front().L;
    const std::vector<std::int64_t> edges = common_edges(headers);
    if (edges.size() < 2) throw InputError(fmt::format("the runs of L = {} have no sweeps in common", L));
    SizeReader reader(
        headers.front(), edges, comparisons_of(headers),
        {config.multispin.share, config.disorder.realizations, model_of(parameters_for(config, L))}, threads);
    for (const Header& header : headers) reader.add(header);
    SizeResults size = reader.take();
    size.stationary = config.equilibration.test == EquilibrationRule::none ||
                      size.drift.within(config.equilibration.threshold_sigma);
    size.couplings_origin = origin_of(headers);
    if (!size.couplings_origin.empty())
        spdlog::warn("L = {}: gen-disorder did not draw these couplings, {}", L, size.couplings_origin);
    return size;
}

/// Errors with shared random numbers were compared with the scatter of independent studies for p_ferro from
/// 0.5 to this value, see docs/notes/statistics.md. For even L, p_ferro and 1 - p_ferro give equivalent
/// models.
constexpr double tested_p_ferro = 0.97;

std::string drift_text(const SizeResults& size) {
    const Drift& drift = size.drift;
    return fmt::format(
        "the averages drift: {} at T = {} in the last half of the runs and in the {} before it differ by "
        "{:.1f} sigma, paired over realizations; the runs are too short",
        binned_observables[drift.observable]->name, size.sample.temperature[drift.temperature],
        drift.comparison == 1 ? "quarter" : "second bin", drift.z);
}

std::vector<AnalysisWarning> warnings_of(const Config& config, const SizeResults& size) {
    std::vector<AnalysisWarning> warnings;
    const auto add = [&](const AnalysisWarning& warning) {
        if (!warning.empty()) warnings.push_back(warning);
    };
    add(basis_warning(size.verdict_basis));
    if (!size.stationary) add({"drift", drift_text(size)});
    if (size.sample.realizations == 1 &&
        (config.model.kind != ModelKind::ferromagnet || config.model.p_absent > 0.0))
        add({"one_realization",
             "errors are thermal: there is one realization, and how others differ is not known"});
    if (std::isnan(size.drift.z))
        add({"drift_untested",
             "whether the averages drift was not tested: that takes two realizations and three log2 bins, "
             "and where realizations share random numbers run.blocks of 6 or more"});
    add(hottest_warning(size.hottest, size.sample.realizations,
                        model_of(parameters_for(config, size.sample.L))));
    if (size.never_moved > 0)
        add({"never_moved",
             fmt::format("in {} realizations nothing ever moved: no energy changed and no swap "
                         "was accepted; nothing is known of their equilibrium",
                         size.never_moved)});
    if (config.multispin.share == 1) return warnings;
    if (std::max(config.model.p_ferro, 1.0 - config.model.p_ferro) > tested_p_ferro)
        add({"shared_noise",
             fmt::format(
                 "errors with random numbers shared by {} realizations were compared with the scatter "
                 "of independent studies for p_ferro from 0.5 to {} only, which stands for 1 - p_ferro "
                 "too; this is {}: take multispin.share: 1",
                 config.multispin.share, tested_p_ferro, config.model.p_ferro)});
    if (config.model.dimension != 3 || config.model.field != 0.0 || config.model.p_absent > 0.0 ||
        config.model.boundary != Boundary::periodic || config.dynamics.update != Update::metropolis)
        add({"shared_noise",
             fmt::format(
                 "errors with random numbers shared by {} realizations were compared with the scatter "
                 "of independent studies for the periodic cubic lattice without field and absent bonds "
                 "and for metropolis updates only: to be sure take multispin.share: 1",
                 config.multispin.share)});
    return warnings;
}

/// Logs the verdict on one size. Errors: InputError by the policy `refuse`.
void judge(const Config& config, const SizeResults& size) {
    for (const AnalysisWarning& warning : size.warnings)
        spdlog::warn("L = {}: {}", size.sample.L, warning.text);
    const auto all = size.sample.realizations, failed = std::ssize(size.unequilibrated);
    const double fraction = size.equilibrated_fraction();
    spdlog::info("L = {}: {} realizations (the study asks for {}), {}", size.sample.L, all,
                 config.disorder.realizations,
                 std::isnan(fraction) ? "equilibrium not tested"
                                      : fmt::format("{:.1f}% equilibrated", 100.0 * fraction));
    if (config.equilibration.unequilibrated == Unequilibrated::refuse && !size.stationary)
        throw InputError(fmt::format("L = {} is not equilibrated (equilibration.unequilibrated: refuse): {}",
                                     size.sample.L, drift_text(size)));
    if (config.equilibration.unequilibrated == Unequilibrated::refuse && failed > 0)
        throw InputError(
            fmt::format("{} of {} realizations of L = {} are not equilibrated (equilibration.unequilibrated: "
                        "refuse): {}; make their runs longer, or keep them",
                        failed, all, size.sample.L, ranges(size.unequilibrated)));
}

}  // namespace

double SizeResults::equilibrated_fraction() const {
    if (!is_tested(verdict_basis)) return nan_value;
    const auto passed = std::count(equilibrated.begin(), equilibrated.end(), 1);
    return static_cast<double>(passed) / static_cast<double>(equilibrated.size());
}

namespace {

std::vector<double> quotients(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    std::vector<double> result;
    for (std::size_t i = 0; i < a.size(); ++i)
        result.push_back(b[i] > 0 ? static_cast<double>(a[i]) / static_cast<double>(b[i]) : nan_value);
    return result;
}

}  // namespace

std::vector<double> SizeResults::houdayer_acceptance() const {
    return quotients(houdayer.clusters, houdayer.moves);
}

std::vector<double> SizeResults::houdayer_cluster_size() const {
    return quotients(houdayer.sites, houdayer.clusters);
}

std::vector<SizeResults> read_campaign(const Config& config, const std::vector<std::string>& paths,
                                       int threads) {
    if (paths.empty()) throw InputError("no observables file is given; give one or more");
    const std::vector<Header> headers = sorted_headers(config, paths);
    std::vector<SizeResults> sizes;
    for (auto begin = headers.begin(); begin != headers.end();) {
        const auto end = std::find_if(begin, headers.end(), [&](const Header& h) { return h.L != begin->L; });
        sizes.push_back(read_size(config, {begin, end}, threads));
        sizes.back().warnings = warnings_of(config, sizes.back());
        judge(config, sizes.back());
        begin = end;
    }
    Measured measured = sizes.front().sample.measured;
    for (const SizeResults& size : sizes) measured = common(measured, size.sample.measured);
    for (SizeResults& size : sizes) size.sample.measured = size.passing.measured = measured;
    return sizes;
}

AverageTable passing_averages(const SizeResults& size) {
    const int temperatures = size.sample.temperatures();
    if (size.passing.realizations < 2)
        return AverageTable(n_averages, AverageCurve(temperatures, {nan_value, nan_value}));
    DisorderSample sample = size.passing;
    for (int o = 0; o < n_observables; ++o) {
        const std::vector<double>& all = size.sample.values[o];
        if (all.empty()) continue;
        for (std::size_t r = 0; r < size.equilibrated.size(); ++r) {
            const auto row = all.begin() + static_cast<std::int64_t>(r) * temperatures;
            if (size.equilibrated[r])
                sample.values[o].insert(sample.values[o].end(), row, row + temperatures);
        }
    }
    return disorder_averages(sample);
}

}  // namespace psflip
