// Describes the datasets of reduced files.
#include "statistics/average/disorder_average.hpp"
#include "statistics/equilibrium/hottest_slot.hpp"
#include "statistics/file_datasets.hpp"

namespace psflip {
namespace {

static_assert(forgotten == 0.1 && jackknife_groups == 200);  // the sentences below say so

/// The datasets in the group of a size.
constexpr DatasetRow size_rows[] = {
    {"temperatures", "J / k_B", "Temperatures, ascending.", "temperature"},
    {"beta", "k_B / J", "Inverse temperatures 1 / T.", "temperature"},
    {"swap_rate", "1", "Accepted over attempted exchanges of neighbouring temperatures.", "temperature pair"},
    {"houdayer_acceptance", "1", "Clusters over Houdayer moves; NaN without moves at this temperature.",
     "temperature"},
    {"houdayer_cluster_size", "sites", "Mean number of sites of the clusters of Houdayer moves.",
     "temperature"},
    {"round_trips", "1",
     "Trips from the coldest to the hottest temperature and back, per walker and 10^6 sweeps; equal "
     "at all temperatures.",
     "temperature"},
    {"equilibrated_fraction", "1", "Fraction of equilibrated realizations; equal at all temperatures.",
     "temperature"},
    {"too_short", "1", "Fraction of realizations whose runs are too short for their thermal errors.",
     "temperature"},
    {"log2_edges", "sweeps", "Edges of the log2 bins, in sweeps since the end of thermalization.",
     "log2 edge"},
    {"histogram_q_edges", "1", "Edges of the bins of q.", "bin edge"},
    {"histogram_q_width", "1", "Widths of the bins of q: values of q in a bin times 2/N.", "bin"},
    {"histogram_density", "1", "P(q), [density of q]; symmetric without a field; NaN in bins of width 0.",
     "temperature, bin"},
    {"histogram_density_err", "1", "Standard error of histogram_density.", "temperature, bin"},
    {"coldest_overlap_counts", "1",
     "Number of measurements of all pairs of replicas with q in each of equal bins from -1 to 1, at the "
     "coldest temperature.",
     "realization, bin"},
    {"histogram_link_width", "1", "Widths of the bins of q_link: values of q_link in a bin times 4/(3N).",
     "bin"},
    {"histogram_link_density", "1", "P(q_link), [density of q_link]; NaN in bins of width 0.",
     "temperature, bin"},
    {"histogram_link_density_err", "1", "Standard error of histogram_link_density.", "temperature, bin"},
    {"realization", "1", "Global numbers of the realizations.", "realization"},
    {"max_deviation", "sigma", "The largest deviation in the log2 test.", "realization"},
    {"tau_walk", "sweeps", "Autocorrelation time of the walk of lattices through the temperatures.",
     "realization"},
    {"equilibrated", "1", "The verdict: 1 for equilibrated, otherwise 0.", "realization"},
    {"unequilibrated", "1", "Global numbers of the realizations that are not equilibrated.",
     "unequilibrated realization"},
    {"lowest_energy", "J", "Lowest energy at the coldest temperature.", "realization"},
    {"lowest_count", "1", "Number of measurements with the lowest energy.", "realization"},
    {"lowest_first_half", "J", "Lowest energy at the coldest temperature in the first half of the run.",
     "realization"},
    {"hottest_sweeps", "sweeps",
     "Sweeps t of the hottest temperature alone, without exchange, after the end of the run.", "time"},
    {"hottest_correlation", "1", "[<S(t)>]/N, S(t) = sum over sites of s(0) s(t) at the hottest temperature.",
     "time"},
    {"hottest_memory", "1", "([<S(t)^2>]/N^2 - [<q^2>]) / (1 - [<q^2>]); with one replica [<S(t)>]/N.",
     "time"},
    {"hottest_time", "sweeps",
     "Time at which hottest_memory falls to 0.1; infinite if it is beyond the last time.", "value"},
};

constexpr DatasetRule average_rules[] = {
    {"", "", "{unit}", "Disorder average: {doc}.", "temperature"},
    {"", "_err", "{unit}", "Standard error of {name}, by the jackknife over realizations.", "temperature"},
    {"", "_err_shared", "{unit}", "The part of {name}_err that comes from shared random numbers.",
     "temperature"},
    {"", "_passing", "{unit}", "{name} of the equilibrated realizations alone, a diagnostic.", "temperature"},
    {"", "_passing_err", "{unit}", "Standard error of {name}_passing.", "temperature"},
    {"jackknife/", "", "{unit}", "{name} without the realizations of each group.", "group, temperature"},
};

constexpr DatasetRule observable_rules[] = {
    {"tau_", "", "sweeps", "Mean over realizations of the autocorrelation time of {name}.", "temperature"},
    {"log2_", "", "{unit}", "Disorder average in each log2 bin of the runs: [{doc}].",
     "log2 bin, temperature"},
    {"log2_", "_err", "{unit}", "Standard error of log2_{name}.", "log2 bin, temperature"},
    {"paired_", "", "{unit}",
     "Mean over realizations of {name} in the last log2 bin minus {name} k bins earlier, k = 1, 2, ...",
     "comparison, temperature"},
    {"paired_", "_err", "{unit}", "Standard error of paired_{name}.", "comparison, temperature"},
    {"paired_", "_z", "sigma",
     "paired_{name} divided by its error, converted to standard deviations of a normal variable.",
     "comparison, temperature"},
};

constexpr DatasetRow root_rows[] = {
    {"/jackknife_groups", "1", "Groups of the jackknife: global numbers of realizations, modulo 200.",
     "group"},
};

/// Returns "energy" for "/L12/energy", and an empty string for a name without a size.
std::string within_size(const std::string& name) {
    if (!name.starts_with("/L")) return {};
    const std::size_t end = name.find_first_not_of("0123456789", 2);
    return end == std::string::npos || end == 2 || name[end] != '/' ? "" : name.substr(end + 1);
}

}  // namespace

DatasetInfo reduced_dataset(const std::string& name) {
    if (auto row = find_row(root_rows, name)) return *std::move(row);
    const std::string of_size = within_size(name);
    if (auto row = find_row(size_rows, of_size)) return *std::move(row);
    for (const AverageInfo& row : average_table)
        if (auto found = find_by_rules(average_rules, row.name, row.unit, row.text(), of_size))
            return *std::move(found);
    for (const ObservableInfo& row : observable_table)
        if (auto found = find_by_rules(observable_rules, row.name, row.unit, row.doc, of_size))
            return *std::move(found);
    throw_unknown_dataset(name);
}

}  // namespace psflip
