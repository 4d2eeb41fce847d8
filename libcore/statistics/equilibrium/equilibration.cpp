#include "statistics/equilibrium/equilibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/numbers.hpp"
#include "statistics/equilibrium/hottest_slot.hpp"
#include "statistics/student.hpp"

namespace psflip {

namespace {

constexpr const char* full_basis = "log2 test, temperature walk and hottest temperature";
constexpr const char* one_basis = "log2 test and memory of the start";
constexpr const char* untested_basis = "not tested (one temperature has the log2 test alone)";
constexpr const char* vector_basis =
    "log2 test and temperature walk, not the hottest temperature (runs of vector spins do not test it)";
constexpr const char* field_basis =
    "log2 test and temperature walk, not the hottest temperature (in a field its spins are never forgotten)";

constexpr const char* mixed_walkers = " (Houdayer moves mix walkers, so walks do not show decorrelation)";

/// Returns V and dof of one series as documented for log2_deviation.
Scatter long_run_scatter(std::span<const std::int64_t> bin_edges, const BlockDivision& blocks,
                         const std::vector<double>& sums) {
    const Scatter about_lines = scatter_in_bins(bin_edges, blocks, sums, true);
    if (about_lines.dof >= min_dof_line) return about_lines;
    const Scatter about_means = scatter_in_bins(bin_edges, blocks, sums, false);
    if (about_means.dof >= min_dof_mean) return about_means;
    const std::int64_t run[] = {blocks.edges.front(), blocks.edges.back()};
    return scatter_in_bins(run, blocks, sums, false);
}

double variance_in_bins(const BlockDivision& bins, const BinnedSeries& series, int first_bin) {
    double count = 0.0, sum = 0.0, square = 0.0;
    for (std::size_t k = first_bin; k < bins.count.size(); ++k) {
        count += static_cast<double>(bins.count[k]);
        sum += series.bin_sum[k];
        square += series.bin_square[k];
    }
    return single_variance(sum / count, square / count, 0.0);
}

}  // namespace

Log2Deviation log2_deviation(const BlockDivision& bins, const BlockDivision& blocks,
                             const std::vector<BinnedSeries>& independent) {
    Log2Deviation result{{nan_value, nan_value}, 0, nan_value};
    const int last = static_cast<int>(bins.count.size()) - 1;
    if (independent.empty() || last < 1 || bins.count[last] == 0) return result;
    const int first_bin = std::max(0, last - log2_comparisons);
    double variance = 0.0, scattered = 0.0, single = 0.0;  // `variance` is V of the average of the series
    for (const BinnedSeries& series : independent) {
        const Scatter scatter =
            long_run_scatter(std::span(bins.edges).subspan(first_bin), blocks, series.block_sum);
        if (scatter.dof < 1) return result;
        const double of_one = variance_in_bins(bins, series, first_bin);
        variance += std::max(scatter.squares / scatter.dof, of_one);
        if (of_one > 0.0) scattered += scatter.squares / scatter.dof;
        single += of_one;
        result.dof += scatter.dof;
    }
    result.tau = integrated_time(scattered, single, 1.0);
    variance /= static_cast<double>(independent.size() * independent.size());
    const auto count = [&](int bin) { return static_cast<double>(bins.count[bin]); };
    const auto mean_in = [&](int bin) {
        double mean = 0.0;
        for (const BinnedSeries& series : independent) mean += series.bin_sum[bin] / count(bin);
        return mean / static_cast<double>(independent.size());
    };
    const double last_mean = mean_in(last);
    for (int k = 0; k < log2_comparisons; ++k) {
        const int bin = last - 1 - k;
        if (bin < 0 || bins.count[bin] == 0) continue;
        const double mean = mean_in(bin), difference = last_mean - mean;
        const double error = std::sqrt(variance * (1.0 / count(last) + 1.0 / count(bin)));
        if (std::abs(difference) <= 1e-10 * (std::abs(last_mean) + std::abs(mean)))
            result.sigma[k] = 0.0;
        else
            result.sigma[k] = gaussian_sigma(difference / error, result.dof);
    }
    return result;
}

Verdict judge(const double* sigma, int temperatures, std::int64_t stride_t, int tests,
              std::int64_t stride_test, double threshold) {
    Verdict verdict{false, nan_value, -1};
    for (int t = 0; t < temperatures; ++t) {
        for (int test = 0; test < tests; ++test) {
            const double deviation = std::abs(sigma[t * stride_t + test * stride_test]);
            if (std::isnan(deviation)) continue;
            if (verdict.worst_temperature >= 0 && deviation <= verdict.max_deviation) continue;
            verdict.max_deviation = deviation;
            verdict.worst_temperature = t;
        }
    }
    verdict.equilibrated = verdict.worst_temperature >= 0 && verdict.max_deviation <= threshold;
    return verdict;
}

std::string verdict_basis(EquilibrationRule test, double min_walk_times, int temperatures,
                          const Measured& measured, bool houdayer) {
    if (test == EquilibrationRule::none) return "nothing (equilibration.test is none)";
    if (temperatures < 2)
        return has_hottest_memory(measured) && min_walk_times > 0.0 ? one_basis : untested_basis;
    if (min_walk_times == 0.0) return "log2 test alone (equilibration.min_walk_times is 0)";
    const std::string basis = measured.vectors() ? vector_basis : measured.field ? field_basis : full_basis;
    return houdayer ? basis + mixed_walkers : basis;
}

bool is_tested(const std::string& basis) {
    return basis.find(untested_basis) == std::string::npos;
}

AnalysisWarning basis_warning(const std::string& basis) {
    if (basis == full_basis || basis == one_basis || basis == field_basis || basis == vector_basis) return {};
    if (!is_tested(basis))
        return {"untested",
                "equilibrium was not tested: with one temperature only the log2 test is left, which seldom "
                "notices a run that is too short; take several temperatures, or compare with a run that "
                "starts from another state"};
    const bool nothing = basis.find("nothing") != std::string::npos;
    if (!nothing && basis.find("log2 test alone") == std::string::npos)
        return {
            "mixed_walkers",
            "with Houdayer moves, walkers exchange parts of their configurations, so a fast temperature "
            "walk does not show that configurations decorrelate; compare with a run without moves or with "
            "twice the sweeps"};
    return {
        nothing ? "test_none" : "log2_alone",
        fmt::format("the verdict \"equilibrated\" rests on {}, which seldom notices a run that is too short",
                    basis)};
}

}  // namespace psflip
