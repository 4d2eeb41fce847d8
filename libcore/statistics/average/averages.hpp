#pragma once

#include <array>
#include <iterator>
#include <vector>

#include "statistics/observables.hpp"

namespace psflip {

/// Disorder averages [...] of a study. Rows of results.csv have them in this order.
enum class Average {
    energy,
    specific_heat,
    q_abs,
    q2,
    q4,
    binder,
    chi_sg,
    xi_over_L,
    q_link,
    chi_kmin,
    q2_spread,
    guerra,
    q_link_variance,
    q2_link_correlation,
    m_abs,
    m2,
    m4,
    binder_m,
    chi_m,
    xi_m_over_L,
    chi_m_total,
    chi_replicon,
    chi_replicon_kmin,
    xi_replicon_over_L,
    r12,
    energy_bond,
    q2_dbeta,
    binder_dbeta,
    xi_over_L_dbeta,
    m2_dbeta,
    binder_m_dbeta,
    xi_m_over_L_dbeta,
    energy_exchange,
    energy_dm,
    energy_anisotropy,
    energy_field,
    ms_abs,
    ms2,
    ms4,
    binder_ms,
    chi_ms,
    xi_ms_over_L,
    even_a_x,
    even_a_y,
    even_a_z,
    even_b_x,
    even_b_y,
    even_b_z,
    odd_a_x,
    odd_a_y,
    odd_a_z,
    odd_b_x,
    odd_b_y,
    odd_b_z,
    moment_x,
    moment_y,
    moment_z,
    chi_x,
    chi_y,
    chi_z,
    chi_staggered_x,
    chi_staggered_y,
    chi_staggered_z,
    chi_even_x,
    chi_even_y,
    chi_even_z,
    chi_odd_x,
    chi_odd_y,
    chi_odd_z,
    qt2,
    qt4,
    binder_qt,
    chi_m_connected,
    end  ///< no average, but those that observables say of themselves follow
};

/// An average as a function of the disorder averages of observables (average/formulas.cpp).
enum class Form {
    mean,
    times_sites,
    binder,
    tensor_binder,
    xi,
    ratio,
    susceptibility,
    connected,
    variance,
    correlation,
    spread,
    guerra,
    binder_slope,
    xi_slope
};

/// Where a row of results.csv has the average: at its beginning, at its beginning unless there are overlaps,
/// or at its end.
enum class Columns { first, middle, last };

struct AverageInfo {
    static constexpr int max_observables = 6;

    Average average = Average::end;
    Columns columns = Columns::last;
    const char *name = nullptr, *unit = nullptr, *doc = nullptr;
    bool (*of)(const Measured&) = nullptr;  ///< whether studies that measure this have it
    Form form = Form::mean;
    Observable observables[max_observables] = {};  ///< the arguments of the form; Observable::end: no more
};

/// The disorder mean of an observable, with the name, the unit and the studies of the observable.
constexpr AverageInfo plain(Average average, Columns columns, Observable observable, const char* doc) {
    constexpr Observable none = Observable::end;
    const ObservableInfo& row = info(observable);
    return {average, columns, row.name,   row.unit,
            doc,     row.of,  Form::mean, {observable, none, none, none, none, none}};
}

template <class... Observables>
constexpr AverageInfo function(Average average, Columns columns, const char* name, const char* unit,
                               const char* doc, bool (*of)(const Measured&), Form form,
                               Observables... observables) {
    AverageInfo info{average, columns, name, unit, doc, of, form};
    const Observable all[] = {observables...};
    for (int i = 0; i < AverageInfo::max_observables; ++i)
        info.observables[i] = i < static_cast<int>(std::size(all)) ? all[i] : Observable::end;
    return info;
}

inline constexpr AverageInfo named_averages[] = {
    plain(Average::energy, Columns::first, Observable::energy, "[<E>]/N"),
    plain(Average::specific_heat, Columns::first, Observable::specific_heat,
          "beta^2 N ([<e^2>] - [<e>_a <e>_b]) per site, e = E/N, of replicas a and b"),
    plain(Average::q_abs, Columns::first, Observable::q_abs, "[<|q|>]"),
    plain(Average::q2, Columns::first, Observable::q2, "[<q^2>]"),
    plain(Average::q4, Columns::first, Observable::q4, "[<q^4>]"),
    function(Average::binder, Columns::first, "binder", "1", "the Binder ratio (3 - [<q^4>] / [<q^2>]^2) / 2",
             runs_with::overlaps_without_field, Form::binder, Observable::q2, Observable::q4),
    function(Average::chi_sg, Columns::first, "chi_sg", "1", "the spin-glass susceptibility N [<q^2>]",
             runs_with::overlaps_without_field, Form::times_sites, Observable::q2),
    function(Average::xi_over_L, Columns::first, "xi_over_L", "1",
             "xi/L = sqrt([<q^2>] / [<|q(k)|^2>] - 1) / (2 L sin(pi/L)), k the smallest wave vector",
             runs_with::overlaps_without_field, Form::xi, Observable::q2, Observable::kmin),
    plain(Average::q_link, Columns::first, Observable::q_link, "[<q_link>], the overlap of bonds"),
    function(Average::chi_kmin, Columns::middle, "chi_kmin", "1",
             "N [<|q(k)|^2>], k the smallest wave vector", runs_with::overlaps_without_field,
             Form::times_sites, Observable::kmin),
    function(Average::q2_spread, Columns::middle, "q2_spread", "1",
             "[<q^2>^2] / [<q^2>]^2 - 1, without an error below 512 realizations", runs_with::overlaps,
             Form::spread, Observable::q2, Observable::q2_product),
    function(Average::guerra, Columns::middle, "guerra", "1",
             "([<q^2>^2] - [<q^2>]^2) / ([<q^4>] - [<q^2>]^2), without an error below 512 realizations",
             runs_with::overlaps, Form::guerra, Observable::q2, Observable::q2_product, Observable::q4),
    function(Average::q_link_variance, Columns::middle, "q_link_variance", "1", "[<q_link^2> - <q_link>^2]",
             runs_with::overlaps, Form::variance, Observable::q_link2, Observable::q_link_product),
    function(Average::q2_link_correlation, Columns::middle, "q2_link_correlation", "1",
             "[<q^2 q_link> - <q^2> <q_link>] / sqrt(q_link_variance [<q^4> - <q^2>^2])", runs_with::overlaps,
             Form::correlation, Observable::q2_q_link, Observable::q2_q_link_product, Observable::q_link2,
             Observable::q_link_product, Observable::q4, Observable::q2_product),
    plain(Average::m_abs, Columns::middle, Observable::m_abs, "[<|m|>]"),
    plain(Average::m2, Columns::middle, Observable::m2, "[<m^2>]"),
    plain(Average::m4, Columns::middle, Observable::m4, "[<m^4>]"),
    function(Average::binder_m, Columns::middle, "binder_m", "1",
             "the Binder ratio of the magnetisation (3 - [<m^4>] / [<m^2>]^2) / 2", runs_with::magnetisations,
             Form::binder, Observable::m2, Observable::m4),
    function(Average::chi_m, Columns::middle, "chi_m", "1/J",
             "the magnetic susceptibility beta N ([<m^2>] - [<|m|>]^2)", runs_with::magnetisations,
             Form::susceptibility, Observable::m2, Observable::m_abs),
    function(Average::xi_m_over_L, Columns::middle, "xi_m_over_L", "1",
             "xi/L of the magnetisation, sqrt([<m^2>] / [<|m(k)|^2>] - 1) / (2 L sin(pi/L)), k the smallest "
             "wave vector",
             runs_with::magnetisations, Form::xi, Observable::m2, Observable::m_kmin),
    function(Average::chi_m_total, Columns::middle, "chi_m_total", "1",
             "N [<m^2>], without the factor beta and with the mean of m", runs_with::magnetisations,
             Form::times_sites, Observable::m2),
    function(Average::chi_replicon, Columns::middle, "chi_replicon", "1",
             "the replicon susceptibility chi_R(0), sum_j [(<s_i s_j> - <s_i> <s_j>)^2]",
             runs_with::overlaps_in_field, Form::times_sites, Observable::replicon),
    function(Average::chi_replicon_kmin, Columns::middle, "chi_replicon_kmin", "1",
             "the replicon susceptibility chi_R(k) at the smallest wave vector", runs_with::overlaps_in_field,
             Form::times_sites, Observable::replicon_kmin),
    function(
        Average::xi_replicon_over_L, Columns::middle, "xi_replicon_over_L", "1",
        "xi/L of the replicon, sqrt(chi_R(0) / chi_R(k) - 1) / (2 L sin(pi/L)), k the smallest wave vector",
        runs_with::overlaps_in_field, Form::xi, Observable::replicon, Observable::replicon_kmin),
    function(Average::r12, Columns::middle, "r12", "1",
             "R12 = chi_R(k1) / chi_R(k2), k1 = (2 pi/L) (1, 0, 0) and k2 = (2 pi/L) (1, 1, 0)",
             runs_with::overlaps_in_field, Form::ratio, Observable::replicon_kmin,
             Observable::replicon_diagonal),
    plain(Average::energy_bond, Columns::middle, Observable::energy_bond,
          "[<E> / B], the energy of the bonds per bond that is there"),
    plain(Average::q2_dbeta, Columns::last, Observable::q2_dbeta, "d[<q^2>]/d beta, measured by the runs"),
    function(Average::binder_dbeta, Columns::last, "binder_dbeta", "J",
             "the derivative of binder by beta, measured by the runs", runs_with::overlap_slopes,
             Form::binder_slope, Observable::q2, Observable::q4, Observable::q2_dbeta, Observable::q4_dbeta),
    function(Average::xi_over_L_dbeta, Columns::last, "xi_over_L_dbeta", "J",
             "the derivative of xi_over_L by beta, measured by the runs", runs_with::overlap_slopes,
             Form::xi_slope, Observable::q2, Observable::kmin, Observable::q2_dbeta, Observable::kmin_dbeta),
    plain(Average::m2_dbeta, Columns::last, Observable::m2_dbeta, "d[<m^2>]/d beta, measured by the runs"),
    function(Average::binder_m_dbeta, Columns::last, "binder_m_dbeta", "J",
             "the derivative of binder_m by beta, measured by the runs", runs_with::magnetisation_slopes,
             Form::binder_slope, Observable::m2, Observable::m4, Observable::m2_dbeta, Observable::m4_dbeta),
    function(Average::xi_m_over_L_dbeta, Columns::last, "xi_m_over_L_dbeta", "J",
             "the derivative of xi_m_over_L by beta, measured by the runs", runs_with::magnetisation_slopes,
             Form::xi_slope, Observable::m2, Observable::m_kmin, Observable::m2_dbeta,
             Observable::m_kmin_dbeta),
    plain(Average::energy_exchange, Columns::last, Observable::energy_exchange,
          "[<E>]/N, the exchange's part"),
    plain(Average::energy_dm, Columns::last, Observable::energy_dm,
          "[<E>]/N, the part of the Dzyaloshinskii-Moriya vectors"),
    plain(Average::energy_anisotropy, Columns::last, Observable::energy_anisotropy,
          "[<E>]/N, the anisotropy's part"),
    plain(Average::energy_field, Columns::last, Observable::energy_field, "[<E>]/N, the field's part"),
    plain(Average::ms_abs, Columns::last, Observable::ms_abs, "[<|m_s|>], m_s the staggered magnetisation"),
    plain(Average::ms2, Columns::last, Observable::ms2, "[<m_s^2>]"),
    plain(Average::ms4, Columns::last, Observable::ms4, "[<m_s^4>]"),
    function(Average::binder_ms, Columns::last, "binder_ms", "1",
             "the Binder ratio of the staggered magnetisation", runs_with::vectors, Form::binder,
             Observable::ms2, Observable::ms4),
    function(Average::chi_ms, Columns::last, "chi_ms", "1/J",
             "the staggered susceptibility beta N ([<m_s^2>] - [<|m_s|>]^2)", runs_with::vectors,
             Form::susceptibility, Observable::ms2, Observable::ms_abs),
    function(Average::xi_ms_over_L, Columns::last, "xi_ms_over_L", "1", "xi/L of the staggered magnetisation",
             runs_with::vectors, Form::xi, Observable::ms2, Observable::ms_kmin),
    plain(Average::even_a_x, Columns::last, Observable::even_a_x,
          "[<S_x>] of the sites of even x + y + z that are a, per site of the lattice"),
    plain(Average::even_a_y, Columns::last, Observable::even_a_y,
          "[<S_y>] of the sites of even x + y + z that are a, per site of the lattice"),
    plain(Average::even_a_z, Columns::last, Observable::even_a_z,
          "[<S_z>] of the sites of even x + y + z that are a, per site of the lattice"),
    plain(Average::even_b_x, Columns::last, Observable::even_b_x,
          "[<S_x>] of the sites of even x + y + z that are b, per site of the lattice"),
    plain(Average::even_b_y, Columns::last, Observable::even_b_y,
          "[<S_y>] of the sites of even x + y + z that are b, per site of the lattice"),
    plain(Average::even_b_z, Columns::last, Observable::even_b_z,
          "[<S_z>] of the sites of even x + y + z that are b, per site of the lattice"),
    plain(Average::odd_a_x, Columns::last, Observable::odd_a_x,
          "[<S_x>] of the sites of odd x + y + z that are a, per site of the lattice"),
    plain(Average::odd_a_y, Columns::last, Observable::odd_a_y,
          "[<S_y>] of the sites of odd x + y + z that are a, per site of the lattice"),
    plain(Average::odd_a_z, Columns::last, Observable::odd_a_z,
          "[<S_z>] of the sites of odd x + y + z that are a, per site of the lattice"),
    plain(Average::odd_b_x, Columns::last, Observable::odd_b_x,
          "[<S_x>] of the sites of odd x + y + z that are b, per site of the lattice"),
    plain(Average::odd_b_y, Columns::last, Observable::odd_b_y,
          "[<S_y>] of the sites of odd x + y + z that are b, per site of the lattice"),
    plain(Average::odd_b_z, Columns::last, Observable::odd_b_z,
          "[<S_z>] of the sites of odd x + y + z that are b, per site of the lattice"),
    plain(Average::moment_x, Columns::last, Observable::moment_x,
          "[<sum of m S_x>]/N, m the moments of the species"),
    plain(Average::moment_y, Columns::last, Observable::moment_y,
          "[<sum of m S_y>]/N, m the moments of the species"),
    plain(Average::moment_z, Columns::last, Observable::moment_z,
          "[<sum of m S_z>]/N, m the moments of the species"),
    plain(Average::chi_x, Columns::last, Observable::chi_x,
          "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the moment sum m S / N"),
    plain(Average::chi_y, Columns::last, Observable::chi_y,
          "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the moment sum m S / N"),
    plain(Average::chi_z, Columns::last, Observable::chi_z,
          "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the moment sum m S / N"),
    plain(Average::chi_staggered_x, Columns::last, Observable::chi_staggered_x,
          "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the staggered magnetisation / N"),
    plain(Average::chi_staggered_y, Columns::last, Observable::chi_staggered_y,
          "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the staggered magnetisation / N"),
    plain(Average::chi_staggered_z, Columns::last, Observable::chi_staggered_z,
          "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the staggered magnetisation / N"),
    plain(Average::chi_even_x, Columns::last, Observable::chi_even_x,
          "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the magnetisation of the sites of even x + y + z / N"),
    plain(Average::chi_even_y, Columns::last, Observable::chi_even_y,
          "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the magnetisation of the sites of even x + y + z / N"),
    plain(Average::chi_even_z, Columns::last, Observable::chi_even_z,
          "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the magnetisation of the sites of even x + y + z / N"),
    plain(Average::chi_odd_x, Columns::last, Observable::chi_odd_x,
          "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the magnetisation of the sites of odd x + y + z / N"),
    plain(Average::chi_odd_y, Columns::last, Observable::chi_odd_y,
          "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the magnetisation of the sites of odd x + y + z / N"),
    plain(Average::chi_odd_z, Columns::last, Observable::chi_odd_z,
          "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the magnetisation of the sites of odd x + y + z / N"),
    plain(Average::qt2, Columns::last, Observable::qt2,
          "[<q^2>], q^2 the sum of the squares of the overlap tensor"),
    plain(Average::qt4, Columns::last, Observable::qt4, "[<q^4>], q^2 as in qt2"),
    function(Average::binder_qt, Columns::last, "binder_qt", "1",
             "the Binder ratio of the overlap tensor (11 - 9 [<q^4>] / [<q^2>]^2) / 2",
             runs_with::overlap_tensors, Form::tensor_binder, Observable::qt2, Observable::qt4),
    function(Average::chi_m_connected, Columns::last, "chi_m_connected", "1/J",
             "the connected magnetic susceptibility beta N [<m^2> - <|m|>_a <|m|>_b], of replicas a and b",
             runs_with::magnetisations, Form::connected, Observable::m2, Observable::m_abs_product),
};
static_assert(is_table_of(named_averages, &AverageInfo::average, Average::end));

/// The averages that the rows of observables ask for follow the named ones.
constexpr int count_averages() {
    int count = static_cast<int>(Average::end);
    for (const ObservableInfo& row : observable_table) count += row.average != nullptr;
    return count;
}
inline constexpr int n_averages = count_averages();
constexpr std::array<AverageInfo, n_averages> make_average_table() {
    std::array<AverageInfo, n_averages> table;
    int next = 0;
    for (const AverageInfo& row : named_averages) table[next++] = row;
    for (const ObservableInfo& row : observable_table)
        if (row.average != nullptr) {
            table[next] = plain(static_cast<Average>(next), Columns::last, row.observable, row.average);
            ++next;
        }
    return table;
}
inline constexpr std::array<AverageInfo, n_averages> average_table = make_average_table();

constexpr const AverageInfo& info(Average average) {
    return average_table[static_cast<int>(average)];
}

constexpr const char* average_name(Average average) {
    return info(average).name;
}

/// The averages that a study has, in the order of the table.
std::vector<Average> averages_of(const Measured& measured);

}  // namespace psflip
