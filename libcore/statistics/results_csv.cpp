#include "statistics/results_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace psflip {

namespace {

/// Averages without an error column. They follow the first averages; new columns end the row.
constexpr const char* plain_columns[] = {"swap_rate", "round_trips", "equilibrated_fraction"};
constexpr int first_averages = static_cast<int>(Average::chi_kmin);

std::string number(double x) {
    return std::isnan(x) ? "nan" : fmt::format("{}", x);
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

std::string names(int begin, int end) {
    std::string text;
    for (int a = begin; a < end; ++a) {
        const char* name = average_name(static_cast<Average>(a));
        text += fmt::format(",{},{}_err", name, name);
    }
    return text;
}

/// Of the averages [begin, end) at slot t.
std::string numbers(const AverageTable& averages, int begin, int end, int t) {
    std::string text;
    for (int a = begin; a < end; ++a)
        text += fmt::format(",{},{}", number(averages[a][t].value), number(averages[a][t].error));
    return text;
}

}  // namespace

std::string csv_header() {
    std::string header = "L,T,beta,n_realizations" + names(0, first_averages);
    for (const char* name : plain_columns) header += fmt::format(",{}", name);
    return header + names(first_averages, n_averages);
}

std::string csv_rows(const SizeResults& size, const AverageTable& averages) {
    std::string rows;
    const DisorderSample& sample = size.sample;
    const std::vector<double> swap_rate = size.swap_rate.mean();
    for (int t = 0; t < sample.temperatures(); ++t) {
        const double temperature = sample.temperature[t];
        rows += fmt::format("{},{},{},{}", sample.L, temperature, 1.0 / temperature, sample.realizations);
        rows += numbers(averages, 0, first_averages, t);
        const std::string rate = t + 1 < sample.temperatures() ? number(swap_rate[t]) : "";
        rows += fmt::format(",{},{},{}", rate, number(size.round_trips.mean()[0]),
                            number(size.equilibrated_fraction()));
        rows += numbers(averages, first_averages, n_averages, t) + "\n";
    }
    return rows;
}

std::string crossings_text(const std::vector<CrossingEstimate>& binder,
                           const std::vector<CrossingEstimate>& xi) {
    std::string text = "Crossings (T in units of J/k_B, errors by jackknife)\n";
    if (binder.empty()) return text + "none: they need two lattice sizes\n";
    append_crossings(text, "Binder", binder);
    append_crossings(text, "xi_L/L", xi);
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
