#include "statistics/reduce/results_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace psflip {

namespace {

/// Averages without an error column. They follow the first averages of a glass, and all but the derivatives
/// of a ferromagnet; other columns end the row.
constexpr const char* plain_columns[] = {"swap_rate", "round_trips", "equilibrated_fraction"};

std::vector<Average> columns_of(const Measured& measured, bool first) {
    std::vector<Average> columns;
    for (Average average : averages_of(measured))
        if ((average < (measured.overlaps ? Average::chi_kmin : Average::q2_dbeta)) == first)
            columns.push_back(average);
    return columns;
}

std::string number(double x) {
    return std::isnan(x) ? "nan" : fmt::format("{}", x);
}

const char* label(Average average) {
    switch (average) {
        case Average::binder:
            return "Binder";
        case Average::xi_over_L:
            return "xi_L/L";
        case Average::xi_replicon_over_L:
            return "xi_R/L";
        case Average::r12:
            return "R12";
        default:
            return average_name(average);
    }
}

/// "chi2/dof 3.1/4, p = 0.54"; empty for an interpolation.
std::string fit_text(const CrossingEstimate& crossing) {
    if (crossing.dof == 0) return "";
    return fmt::format("chi2/dof = {:.1f}/{}, p = {:.2g}", crossing.chi2, crossing.dof, crossing.p);
}

void append_crossings(std::string& text, const char* name, const std::vector<CrossingEstimate>& crossings) {
    for (const CrossingEstimate& crossing : crossings) {
        text += fmt::format("{:<10} L = {:>3}, {:>3}:  ", name, crossing.L1, crossing.L2);
        if (std::isnan(crossing.temperature.value))
            text += "no crossing";
        else
            text += fmt::format("T = {:<14} value {:<12}  {}", with_error(crossing.temperature),
                                with_error(crossing.value), fit_text(crossing));
        text += crossing.note.empty() ? "\n" : fmt::format("  ({})\n", crossing.note);
    }
}

std::string names(const std::vector<Average>& averages) {
    std::string text;
    for (Average average : averages)
        text += fmt::format(",{},{}_err", average_name(average), average_name(average));
    return text;
}

/// Of some averages at slot t.
std::string numbers(const AverageTable& table, const std::vector<Average>& averages, int t) {
    std::string text;
    for (Average average : averages) {
        const Estimate& estimate = table[int(average)][t];
        text += fmt::format(",{},{}", number(estimate.value), number(estimate.error));
    }
    return text;
}

}  // namespace

std::string csv_header(const Measured& measured) {
    std::string header = "L,T,beta,n_realizations" + names(columns_of(measured, true));
    for (const char* name : plain_columns) header += fmt::format(",{}", name);
    return header + names(columns_of(measured, false));
}

std::string csv_rows(const SizeResults& size, const AverageTable& averages) {
    std::string rows;
    const DisorderSample& sample = size.sample;
    const std::vector<double> swap_rate = size.swap_rate.mean();
    const auto first = columns_of(sample.measured, true), last = columns_of(sample.measured, false);
    for (int t = 0; t < sample.temperatures(); ++t) {
        const double temperature = sample.temperature[t];
        rows += fmt::format("{},{},{},{}", sample.L, temperature, 1.0 / temperature, sample.realizations);
        rows += numbers(averages, first, t);
        const std::string rate = t + 1 < sample.temperatures() ? number(swap_rate[t]) : "";
        rows += fmt::format(",{},{},{}", rate, number(size.round_trips.mean()[0]),
                            number(size.equilibrated_fraction()));
        rows += numbers(averages, last, t) + "\n";
    }
    return rows;
}

std::string crossings_text(const std::vector<CrossingCurve>& curves) {
    std::string text = "Crossings (T in units of J/k_B, errors by jackknife)\n";
    if (curves.empty()) return text + "none: the glass of two dimensions has its transition at T = 0\n";
    if (curves.front().pairs.empty()) return text + "none: they need two lattice sizes\n";
    for (const CrossingCurve& curve : curves) append_crossings(text, label(curve.average), curve.pairs);
    return text;
}

std::string with_error(const Estimate& estimate) {
    if (std::isnan(estimate.value)) return "none";
    if (!(estimate.error > 0.0) || std::isinf(estimate.error))
        return fmt::format("{:.4f} +- {}", estimate.value, number(estimate.error));
    // Two digits of the error; 0.0996 becomes 0.10, which needs one decimal less.
    int decimals = 1 - static_cast<int>(std::floor(std::log10(estimate.error)));
    if (std::round(estimate.error * std::pow(10.0, decimals)) >= 100.0) --decimals;
    if (decimals <= 0) return fmt::format("{:.0f}({:.0f})", estimate.value, estimate.error);
    if (estimate.error >= 0.95) return fmt::format("{:.1f}({:.1f})", estimate.value, estimate.error);
    return fmt::format("{:.{}f}({:.0f})", estimate.value, decimals,
                       estimate.error * std::pow(10.0, decimals));
}

}  // namespace psflip
