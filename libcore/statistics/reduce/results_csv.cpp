#include "statistics/reduce/results_csv.hpp"

#include <fmt/format.h>

#include <cmath>

namespace psflip {

namespace {

/// Lists the columns without an error column. They follow the averages of Columns::first and, in studies
/// without overlaps, the averages of Columns::middle.
constexpr const char* plain_columns[] = {"swap_rate", "round_trips", "equilibrated_fraction"};

std::vector<Average> columns_of(const Measured& measured, bool first) {
    std::vector<Average> columns;
    for (Average average : averages_of(measured)) {
        const Columns place = average->columns;
        if ((place == Columns::first || (place == Columns::middle && !measured.overlaps)) == first)
            columns.push_back(average);
    }
    return columns;
}

std::string number(double x) {
    return std::isnan(x) ? "nan" : fmt::format("{}", x);
}

/// Returns the number of slot t, or an empty text if nothing was counted there.
std::string counted(const std::vector<double>& values, std::size_t t) {
    return t < values.size() && !std::isnan(values[t]) ? number(values[t]) : "";
}

std::string names(const std::vector<Average>& averages) {
    std::string text;
    for (Average average : averages) text += fmt::format(",{},{}_err", average->name, average->name);
    return text;
}

/// Returns the columns of some averages at slot t.
std::string numbers(const AverageTable& table, const std::vector<Average>& averages, int t) {
    std::string text;
    for (Average average : averages) {
        const Estimate& estimate = table[average][t];
        text += fmt::format(",{},{}", number(estimate.value), number(estimate.error));
    }
    return text;
}

}  // namespace

std::string csv_header(const Measured& measured, bool houdayer) {
    std::string header = "L,T,beta,n_realizations" + names(columns_of(measured, true));
    for (const char* name : plain_columns) header += fmt::format(",{}", name);
    return header + names(columns_of(measured, false)) +
           (houdayer ? ",houdayer_acceptance,houdayer_cluster_size" : "");
}

std::string csv_rows(const SizeResults& size, const AverageTable& averages, bool houdayer) {
    std::string rows;
    const DisorderSample& sample = size.sample;
    const std::vector<double> swap_rate = size.swap_rate.mean();
    const std::vector<double> acceptance = size.houdayer_acceptance(),
                              cluster_size = size.houdayer_cluster_size();
    const auto first = columns_of(sample.measured, true), last = columns_of(sample.measured, false);
    for (int t = 0; t < sample.temperatures(); ++t) {
        const double temperature = sample.temperature[t];
        rows += fmt::format("{},{},{},{}", sample.L, temperature, 1.0 / temperature, sample.realizations);
        rows += numbers(averages, first, t);
        const std::string rate = t + 1 < sample.temperatures() ? number(swap_rate[t]) : "";
        rows += fmt::format(",{},{},{}", rate, number(size.round_trips.mean()[0]),
                            number(size.equilibrated_fraction()));
        rows += numbers(averages, last, t);
        if (houdayer) rows += "," + counted(acceptance, t) + "," + counted(cluster_size, t);
        rows += "\n";
    }
    return rows;
}

}  // namespace psflip
