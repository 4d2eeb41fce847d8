#pragma once

// Defines the table of disorder averages: columns of results.csv and datasets of reduced files. A new average
// needs a row here.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "statistics/average/formulas.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// Says where results.csv has an average. The columns swap_rate, round_trips and equilibrated_fraction stand
/// between two groups of averages: `first` is before them and `last` after them. `middle` is before them in
/// studies without overlaps, and after them in studies with overlaps.
enum class Columns { first, middle, last };

/// Describes a row of the table, with name, unit and text. A row is the disorder average [x] of an observable
/// x, or a function of the disorder averages of several observables.
struct AverageInfo {
    const char *name = nullptr, *unit = nullptr, *doc = nullptr;
    /// Returns whether a study that measures these quantities has this average.
    bool (*of)(const Measured&) = nullptr;
    Form form = form::mean;
    int n = 1;  ///< number of observables
    std::array<Observable, 6> observables = {};
    Columns columns = Columns::last;

    bool is_mean() const { return form.function == form::mean.function; }
    /// Returns whether the row is [x] of a single observable x, or N [x].
    bool is_linear() const { return n == 1; }
    std::string text() const { return is_mean() ? std::string("[") + doc + "]" : doc; }
};

constexpr AverageInfo function(const char* name, const char* unit, const char* doc,
                               bool (*of)(const Measured&), const Form& form,
                               std::initializer_list<Observable> observables) {
    AverageInfo row{name, unit, doc, of, form, static_cast<int>(observables.size())};
    std::ranges::copy(observables, row.observables.begin());
    return row;
}

inline constexpr AverageInfo average_functions[] = {
    function("binder", "1", "the Binder ratio, (3 - [<q^4>] / [<q^2>]^2) / 2",
             runs_with::overlaps_without_field, form::binder, {"q2", "q4"}),
    function("chi_sg", "1", "the spin-glass susceptibility N [<q^2>]", runs_with::overlaps_without_field,
             form::times_sites, {"q2"}),
    function("xi_over_L", "1",
             "xi/L = sqrt([<q^2>] / [<|q(k)|^2>] - 1) / (2 L sin(pi/L)), k the smallest wave vector",
             runs_with::overlaps_without_field, form::xi, {"q2", "kmin"}),
    function("chi_kmin", "1", "N [<|q(k)|^2>], k the smallest wave vector", runs_with::overlaps_without_field,
             form::times_sites, {"kmin"}),
    function("q2_spread", "1", "[<q^2>^2] / [<q^2>]^2 - 1, without an error below 512 realizations",
             runs_with::overlaps, form::spread, {"q2", "q2_product"}),
    function("guerra", "1",
             "([<q^2>^2] - [<q^2>]^2) / ([<q^4>] - [<q^2>]^2), without an error below 512 realizations",
             runs_with::overlaps, form::guerra, {"q2", "q2_product", "q4"}),
    function("q_link_variance", "1", "[<q_link^2> - <q_link>^2]", runs_with::overlaps, form::difference,
             {"q_link2", "q_link_product"}),
    function("q2_link_correlation", "1",
             "[<q^2 q_link> - <q^2> <q_link>] / sqrt(q_link_variance [<q^4> - <q^2>^2])", runs_with::overlaps,
             form::correlation,
             {"q2_q_link", "q2_q_link_product", "q_link2", "q_link_product", "q4", "q2_product"}),
    function("binder_m", "1", "the Binder ratio of the magnetisation, (3 - [<m^4>] / [<m^2>]^2) / 2",
             runs_with::magnetisations, form::binder, {"m2", "m4"}),
    function("chi_m", "1/J", "the magnetic susceptibility beta N ([<m^2>] - [<|m|>]^2)",
             runs_with::magnetisations, form::susceptibility, {"m2", "m_abs"}),
    function("xi_m_over_L", "1",
             "xi/L of the magnetisation, sqrt([<m^2>] / [<|m(k)|^2>] - 1) / (2 L sin(pi/L)), k the smallest "
             "wave vector",
             runs_with::magnetisations, form::xi, {"m2", "m_kmin"}),
    function("chi_m_total", "1", "N [<m^2>], without beta and without subtraction of the mean",
             runs_with::magnetisations, form::times_sites, {"m2"}),
    function("xi_m_over_L_improved", "1", "as xi_m_over_L, from clusters of Swendsen-Wang sweeps",
             runs_with::clusters, form::xi, {"m2_improved", "m_kmin_improved"}),
    function("chi_m_total_improved", "1", "as chi_m_total, from clusters of Swendsen-Wang sweeps",
             runs_with::clusters, form::times_sites, {"m2_improved"}),
    function("chi_replicon", "1",
             "the replicon susceptibility chi_R(0) = (1/N) sum_ij [(<s_i s_j> - <s_i> <s_j>)^2]",
             runs_with::overlaps_in_field, form::times_sites, {"replicon"}),
    function("chi_replicon_kmin", "1", "the replicon susceptibility chi_R(k) at the smallest wave vector",
             runs_with::overlaps_in_field, form::times_sites, {"replicon_kmin"}),
    function("xi_replicon_over_L", "1",
             "xi/L from the replicon susceptibility, sqrt(chi_R(0) / chi_R(k) - 1) / (2 L sin(pi/L)), k the "
             "smallest wave vector",
             runs_with::overlaps_in_field, form::xi, {"replicon", "replicon_kmin"}),
    function("r12", "1", "R12 = chi_R(k1) / chi_R(k2), k1 = (2 pi/L) (1, 0, 0) and k2 = (2 pi/L) (1, 1, 0)",
             runs_with::overlaps_in_field, form::ratio, {"replicon_kmin", "replicon_diagonal"}),
    function("binder_dbeta", "J",
             "the derivative of binder with respect to beta, from products with the energy",
             runs_with::overlap_slopes, form::binder_slope, {"q2", "q4", "q2_dbeta", "q4_dbeta"}),
    function("xi_over_L_dbeta", "J",
             "the derivative of xi_over_L with respect to beta, from products with the energy",
             runs_with::overlap_slopes, form::xi_slope, {"q2", "kmin", "q2_dbeta", "kmin_dbeta"}),
    function("binder_m_dbeta", "J",
             "the derivative of binder_m with respect to beta, from products with the energy",
             runs_with::magnetisation_slopes, form::binder_slope, {"m2", "m4", "m2_dbeta", "m4_dbeta"}),
    function("xi_m_over_L_dbeta", "J",
             "the derivative of xi_m_over_L with respect to beta, from products with the energy",
             runs_with::magnetisation_slopes, form::xi_slope, {"m2", "m_kmin", "m2_dbeta", "m_kmin_dbeta"}),
    function("binder_ms", "1",
             "the Binder ratio of the staggered magnetisation, (5 - 3 [<m_s^4>] / [<m_s^2>]^2) / 2",
             runs_with::vectors, form::binder, {"ms2", "ms4"}),
    function("chi_ms", "1/J", "the staggered susceptibility beta N ([<m_s^2>] - [<|m_s|>]^2)",
             runs_with::vectors, form::susceptibility, {"ms2", "ms_abs"}),
    function("xi_ms_over_L", "1", "xi/L of the staggered magnetisation, as xi_m_over_L", runs_with::vectors,
             form::xi, {"ms2", "ms_kmin"}),
    function("binder_qt", "1", "the Binder ratio of the overlap tensor, (11 - 9 [<q^4>] / [<q^2>]^2) / 2",
             runs_with::overlap_tensors, form::tensor_binder, {"qt2", "qt4"}),
    function("chi_m_connected", "1/J",
             "the connected magnetic susceptibility beta N [<m^2> - <|m|>_a <|m|>_b] of replicas a and b",
             runs_with::magnetisations, form::connected, {"m2", "m_abs_product"}),
};

/// The order of averages in results.csv and reduced files. Averages that are in no list follow: first
/// observables with `in_results`, then functions.
inline constexpr std::string_view first_columns =
    "energy specific_heat q_abs q2 q4 binder chi_sg xi_over_L q_link";
inline constexpr std::string_view middle_columns =
    "chi_kmin q2_spread guerra q_link_variance q2_link_correlation m_abs m2 m4 binder_m chi_m "
    "xi_m_over_L chi_m_total m2_improved xi_m_over_L_improved chi_m_total_improved chi_replicon "
    "chi_replicon_kmin xi_replicon_over_L r12 energy_bond";
inline constexpr std::string_view last_columns =
    "q2_dbeta binder_dbeta xi_over_L_dbeta m2_dbeta binder_m_dbeta xi_m_over_L_dbeta energy_exchange "
    "energy_dm energy_anisotropy energy_field ms_abs ms2 ms4 binder_ms chi_ms xi_ms_over_L even_a_x "
    "even_a_y even_a_z even_b_x even_b_y even_b_z odd_a_x odd_a_y odd_a_z odd_b_x odd_b_y odd_b_z "
    "moment_x moment_y moment_z chi_x chi_y chi_z chi_staggered_x chi_staggered_y chi_staggered_z "
    "chi_even_x chi_even_y chi_even_z chi_odd_x chi_odd_y chi_odd_z qt2 qt4 binder_qt chi_m_connected";

inline constexpr int n_averages =
    std::size(average_functions) + std::ranges::count(observable_table, true, &ObservableInfo::in_results);
constexpr std::array<AverageInfo, n_averages> make_average_table() {
    std::array<AverageInfo, n_averages> rows;
    int n = 0;
    for (const ObservableInfo& row : observable_table)
        if (row.in_results)
            rows[n++] = {row.name, row.unit, row.doc, row.of, form::mean, 1, {Observable(row)}};
    for (const AverageInfo& row : average_functions) rows[n++] = row;
    int placed = 0;
    const auto place = [&](std::string_view names, Columns columns) {
        while (!names.empty()) {
            const auto end = std::min(names.find(' '), names.size());
            const auto row = std::ranges::find(rows, names.substr(0, end), &AverageInfo::name);
            row->columns = columns;
            std::rotate(rows.begin() + placed++, row, row + 1);
            names.remove_prefix(std::min(end + 1, names.size()));
        }
    };
    place(first_columns, Columns::first);
    place(middle_columns, Columns::middle);
    place(last_columns, Columns::last);
    return rows;
}
inline constexpr std::array<AverageInfo, n_averages> average_table = make_average_table();

using Average = RowOf<average_table>;

/// Returns the averages that a study has, in the order of average_table.
std::vector<Average> averages_of(const Measured& measured);

}  // namespace psflip
