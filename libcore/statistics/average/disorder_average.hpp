#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statistics/jackknife.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// The thermal averages of all realizations of one lattice size.
struct DisorderSample {
    int L = 0;
    std::vector<double> temperature;  ///< ascending
    std::int64_t realizations = 0;
    std::vector<double> values[n_observables];  ///< (realization, temperature); thermal means
    /// (temperature) sums of shared_variance over the packs, of shared_observables; empty: none shared
    std::vector<double> shared[n_observables] = {};
    /// (temperature) sums of shared_covariance over the packs, of shared_pairs; empty: none shared or not
    /// known
    std::vector<double> shared_pair[n_shared_pairs] = {};
    std::vector<std::int64_t> number = {};  ///< global numbers of the realizations; empty: 0, 1, ...
    int share = 1;                          ///< consecutive realizations that share random numbers
    /// (temperature) of a sample of one realization: the thermal error of its means, and the covariance of
    /// two means, of shared_pairs; empty where files do not have them.
    std::vector<double> thermal_error[n_observables] = {};
    std::vector<double> thermal_covariance[n_shared_pairs] = {};
    Measured measured = {};  ///< what all files of the size have

    int temperatures() const { return static_cast<int>(temperature.size()); }
    const std::vector<double>& operator[](Observable o) const { return values[static_cast<int>(o)]; }
};

/// Disorder averages [...] with errors, one per temperature. Names and order are those of
/// results.csv, where those from chi_kmin on end the row.
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
    chi_m_connected
};
inline constexpr int n_averages = 73;

/// In the order of the enum, with the studies that have them, which makes the columns of results.csv; their
/// formulas are below.
inline constexpr Quantity average_table[n_averages] = {
    {"energy", "J", "[<E>]/N"},
    {"specific_heat", "k_B", "beta^2 N ([<e^2>] - [<e>_a <e>_b]) per site, e = E/N, of replicas a and b"},
    {"q_abs", "1", "[<|q|>]", runs_with::overlaps},
    {"q2", "1", "[<q^2>]", runs_with::overlaps},
    {"q4", "1", "[<q^4>]", runs_with::overlaps},
    {"binder", "1", "the Binder ratio (3 - [<q^4>] / [<q^2>]^2) / 2", runs_with::overlaps_without_field},
    {"chi_sg", "1", "the spin-glass susceptibility N [<q^2>]", runs_with::overlaps_without_field},
    {"xi_over_L", "1",
     "xi/L = sqrt([<q^2>] / [<|q(k)|^2>] - 1) / (2 L sin(pi/L)), k the smallest wave vector",
     runs_with::overlaps_without_field},
    {"q_link", "1", "[<q_link>], the overlap of bonds", runs_with::overlaps},
    {"chi_kmin", "1", "N [<|q(k)|^2>], k the smallest wave vector", runs_with::overlaps_without_field},
    {"q2_spread", "1", "[<q^2>^2] / [<q^2>]^2 - 1, without an error below 512 realizations",
     runs_with::overlaps},
    {"guerra", "1",
     "([<q^2>^2] - [<q^2>]^2) / ([<q^4>] - [<q^2>]^2), without an error below 512 realizations",
     runs_with::overlaps},
    {"q_link_variance", "1", "[<q_link^2> - <q_link>^2]", runs_with::overlaps},
    {"q2_link_correlation", "1", "[<q^2 q_link> - <q^2> <q_link>] / sqrt(q_link_variance [<q^4> - <q^2>^2])",
     runs_with::overlaps},
    {"m_abs", "1", "[<|m|>]", runs_with::magnetisations},
    {"m2", "1", "[<m^2>]", runs_with::magnetisations},
    {"m4", "1", "[<m^4>]", runs_with::magnetisations},
    {"binder_m", "1", "the Binder ratio of the magnetisation (3 - [<m^4>] / [<m^2>]^2) / 2",
     runs_with::magnetisations},
    {"chi_m", "1/J", "the magnetic susceptibility beta N ([<m^2>] - [<|m|>]^2)", runs_with::magnetisations},
    {"xi_m_over_L", "1",
     "xi/L of the magnetisation, sqrt([<m^2>] / [<|m(k)|^2>] - 1) / (2 L sin(pi/L)), k the smallest wave "
     "vector",
     runs_with::magnetisations},
    {"chi_m_total", "1", "N [<m^2>], without the factor beta and with the mean of m",
     runs_with::magnetisations},
    {"chi_replicon", "1", "the replicon susceptibility chi_R(0), sum_j [(<s_i s_j> - <s_i> <s_j>)^2]",
     runs_with::overlaps_in_field},
    {"chi_replicon_kmin", "1", "the replicon susceptibility chi_R(k) at the smallest wave vector",
     runs_with::overlaps_in_field},
    {"xi_replicon_over_L", "1",
     "xi/L of the replicon, sqrt(chi_R(0) / chi_R(k) - 1) / (2 L sin(pi/L)), k the smallest wave vector",
     runs_with::overlaps_in_field},
    {"r12", "1", "R12 = chi_R(k1) / chi_R(k2), k1 = (2 pi/L) (1, 0, 0) and k2 = (2 pi/L) (1, 1, 0)",
     runs_with::overlaps_in_field},
    {"energy_bond", "J", "[<E> / B], the energy of the bonds per bond that is there",
     runs_with::absent_bonds},
    {"q2_dbeta", "J", "d[<q^2>]/d beta, measured by the runs", runs_with::overlap_slopes},
    {"binder_dbeta", "J", "the derivative of binder by beta, measured by the runs",
     runs_with::overlap_slopes},
    {"xi_over_L_dbeta", "J", "the derivative of xi_over_L by beta, measured by the runs",
     runs_with::overlap_slopes},
    {"m2_dbeta", "J", "d[<m^2>]/d beta, measured by the runs", runs_with::magnetisation_slopes},
    {"binder_m_dbeta", "J", "the derivative of binder_m by beta, measured by the runs",
     runs_with::magnetisation_slopes},
    {"xi_m_over_L_dbeta", "J", "the derivative of xi_m_over_L by beta, measured by the runs",
     runs_with::magnetisation_slopes},
    {"energy_exchange", "J", "[<E>]/N, the exchange's part", runs_with::vectors},
    {"energy_dm", "J", "[<E>]/N, the part of the Dzyaloshinskii-Moriya vectors", runs_with::vectors},
    {"energy_anisotropy", "J", "[<E>]/N, the anisotropy's part", runs_with::vectors},
    {"energy_field", "J", "[<E>]/N, the field's part", runs_with::vectors},
    {"ms_abs", "1", "[<|m_s|>], m_s the staggered magnetisation", runs_with::vectors},
    {"ms2", "1", "[<m_s^2>]", runs_with::vectors},
    {"ms4", "1", "[<m_s^4>]", runs_with::vectors},
    {"binder_ms", "1", "the Binder ratio of the staggered magnetisation", runs_with::vectors},
    {"chi_ms", "1/J", "the staggered susceptibility beta N ([<m_s^2>] - [<|m_s|>]^2)", runs_with::vectors},
    {"xi_ms_over_L", "1", "xi/L of the staggered magnetisation", runs_with::vectors},
    {"even_a_x", "1", "[<S_x>] of the sites of even x + y + z that are a, per site of the lattice",
     runs_with::vectors},
    {"even_a_y", "1", "[<S_y>] of the sites of even x + y + z that are a, per site of the lattice",
     runs_with::vectors},
    {"even_a_z", "1", "[<S_z>] of the sites of even x + y + z that are a, per site of the lattice",
     runs_with::vectors},
    {"even_b_x", "1", "[<S_x>] of the sites of even x + y + z that are b, per site of the lattice",
     runs_with::vectors},
    {"even_b_y", "1", "[<S_y>] of the sites of even x + y + z that are b, per site of the lattice",
     runs_with::vectors},
    {"even_b_z", "1", "[<S_z>] of the sites of even x + y + z that are b, per site of the lattice",
     runs_with::vectors},
    {"odd_a_x", "1", "[<S_x>] of the sites of odd x + y + z that are a, per site of the lattice",
     runs_with::vectors},
    {"odd_a_y", "1", "[<S_y>] of the sites of odd x + y + z that are a, per site of the lattice",
     runs_with::vectors},
    {"odd_a_z", "1", "[<S_z>] of the sites of odd x + y + z that are a, per site of the lattice",
     runs_with::vectors},
    {"odd_b_x", "1", "[<S_x>] of the sites of odd x + y + z that are b, per site of the lattice",
     runs_with::vectors},
    {"odd_b_y", "1", "[<S_y>] of the sites of odd x + y + z that are b, per site of the lattice",
     runs_with::vectors},
    {"odd_b_z", "1", "[<S_z>] of the sites of odd x + y + z that are b, per site of the lattice",
     runs_with::vectors},
    {"moment_x", "1", "[<sum of m S_x>]/N, m the moments of the species", runs_with::directions},
    {"moment_y", "1", "[<sum of m S_y>]/N, m the moments of the species", runs_with::directions},
    {"moment_z", "1", "[<sum of m S_z>]/N, m the moments of the species", runs_with::directions},
    {"chi_x", "1/J", "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the moment sum m S / N",
     runs_with::directions},
    {"chi_y", "1/J", "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the moment sum m S / N",
     runs_with::directions},
    {"chi_z", "1/J", "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the moment sum m S / N",
     runs_with::directions},
    {"chi_staggered_x", "1/J", "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the staggered magnetisation / N",
     runs_with::directions},
    {"chi_staggered_y", "1/J", "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the staggered magnetisation / N",
     runs_with::directions},
    {"chi_staggered_z", "1/J", "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the staggered magnetisation / N",
     runs_with::directions},
    {"chi_even_x", "1/J",
     "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions},
    {"chi_even_y", "1/J",
     "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions},
    {"chi_even_z", "1/J",
     "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions},
    {"chi_odd_x", "1/J",
     "beta N ([<M_x^2>] - [<M_x>_a <M_x>_b]), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions},
    {"chi_odd_y", "1/J",
     "beta N ([<M_y^2>] - [<M_y>_a <M_y>_b]), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions},
    {"chi_odd_z", "1/J",
     "beta N ([<M_z^2>] - [<M_z>_a <M_z>_b]), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions},
    {"qt2", "1", "[<q^2>], q^2 the sum of the squares of the overlap tensor", runs_with::overlap_tensors},
    {"qt4", "1", "[<q^4>], q^2 as in qt2", runs_with::overlap_tensors},
    {"binder_qt", "1", "the Binder ratio of the overlap tensor (11 - 9 [<q^4>] / [<q^2>]^2) / 2",
     runs_with::overlap_tensors},
    {"chi_m_connected", "1/J",
     "the connected magnetic susceptibility beta N [<m^2> - <|m|>_a <|m|>_b], of replicas a and b",
     runs_with::magnetisations},
};

constexpr const Quantity& info(Average average) {
    return average_table[static_cast<int>(average)];
}

constexpr const char* average_name(Average average) {
    return info(average).name;
}

/// Those that a study has, in the order of the enum.
std::vector<Average> averages_of(const Measured& measured);

using AverageCurve = std::vector<Estimate>;      ///< (temperature)
using AverageTable = std::vector<AverageCurve>;  ///< in the order of the enum Average; NaN: not of this study

/// binder = (3 - [q4] / [q2]^2) / 2; chi_sg = N [q2]; chi_kmin = N [kmin], chi at the smallest wave vector;
/// xi_over_L = sqrt([q2] / [kmin] - 1) / (2 L sin(pi / L)), NaN where [q2] < [kmin]; specific_heat is the
/// average of that of the realizations, beta^2 N ([e^2] - [<e>_a <e>_b]); q2_spread = [<q2>^2] / [q2]^2 - 1,
/// the relative variance of <q2> over realizations (A of Marinari et al., arXiv:cond-mat/9802309), 0 where
/// <q2> averages itself; guerra = ([<q2>^2] - [q2]^2) / ([q4] - [q2]^2) (their G), 1/3 by Guerra's relation
/// where it does not; its noise is large where both differences are small. q_link_variance = [<q_link^2> -
/// <q_link>^2]; q2_link_correlation = [<q^2 q_link> - <q^2><q_link>] / sqrt(q_link_variance [<q^4> -
/// <q^2>^2]), 1 where one overlap is a function of the other (Contucci et al., arXiv:cond-mat/0510663).
/// binder_m and xi_m_over_L: the same of m, of vectors binder_m = (5 - 3 [m4] / [m2]^2) / 2, which is 0 where
/// they point anywhere and 1 where they are parallel; binder_ms, chi_ms, xi_ms_over_L: of m_s; binder_qt =
/// (11 - 9 [qt4] / [qt2]^2) / 2, of a tensor of nine components. chi_m = beta N
/// ([m2] - [m_abs]^2), which with disorder includes how <|m|> differs between realizations; chi_m_connected =
/// beta N [m2 - <|m|>^2] does not; chi_m_total = N [m2]. chi_replicon = N [replicon], chi_replicon_kmin = N
/// [replicon_kmin], xi_replicon_over_L the same of them as xi_over_L, r12 = [replicon_kmin] /
/// [replicon_diagonal]. N = L^d in d dimensions. Those that end on _dbeta are derivatives by beta, from the
/// averages and their own derivatives.
double binder_of(double q2, double q4, int components = 1);
double xi_over_L_of(double q2, double kmin, int L);
/// Errors are those of the jackknife over realizations, with shared_error added in squares. Where
/// realizations share random numbers and shared_error does not know how much that adds: with 10 packs or more
/// the larger one of the jackknife's over realizations and over packs; with fewer the jackknife's over
/// realizations, or NaN at all temperatures if sharing adds more than a tenth at some temperature to the
/// errors of the averages beside it (energy and q^2 for derivatives, q_link and q^2 for overlaps of bonds,
/// m^2 for the magnetisation). Below least_realizations_of_spread the errors of q2_spread and guerra are NaN:
/// their distribution is skewed, and jackknife errors of 256 realizations are 1.14 times too small. Of one
/// realization errors are thermal, from blocks of its run, and NaN for functions of more than two averages.
AverageCurve disorder_average(const DisorderSample& sample, Average average);
inline constexpr std::int64_t least_realizations_of_spread = 512;
AverageTable disorder_averages(const DisorderSample& sample);

/// Those of `averages` that have values without errors at some temperature, because the noise that
/// realizations share is not known.
std::vector<Average> withheld_errors(const DisorderSample& sample, const AverageTable& averages);

/// The part of the error that comes from shared random numbers, per temperature: sqrt(max(0, S)) / R (times N
/// for chi_sg, chi_kmin and chi_m_total) with S of `shared`; for Binder ratios, xi/L and chi_m, functions f
/// of two averages, S = grad f^T S grad f with the 2 x 2 matrix S of `shared` and `shared_pair`. NaN where S
/// is NaN, 0 where `shared` is empty. Empty where that is not known, and the errors are those of the
/// jackknife: for chi_m_connected and those from q2_spread to q2_link_correlation, for derivatives, for
/// Binder ratios, xi/L and chi_m where `shared_pair` is empty, for chi_kmin where `shared` of kmin is.
std::vector<double> shared_error(const DisorderSample& sample, Average average);

/// Jackknife samples of a curve: what it is without the realizations of one group.
struct ResampledCurve {
    int L;
    std::vector<double> temperature, value;     ///< value: of all realizations
    std::vector<std::vector<double>> left_out;  ///< (group, temperature)
    std::vector<double> shared_error;           ///< of shared_error, 0 where there is none; NaN: not known
};

/// An average of every size. Realization r is in group r mod jackknife_groups, which is left out of all sizes
/// at once, because realizations of one number have couplings in common at different sizes; groups that no
/// size has are not there. Realizations of a pack are in different groups, as sharing never is wider than the
/// number of groups, so that noise that they share is not in these samples. The covariance of two numbers f
/// and h made of averages, of any sizes and temperatures, is (G-1)/G sum_g (f_g - mean f) (h_g - mean h) over
/// the G groups, with shared_error in squares added to the variances.
std::vector<ResampledCurve> resampled_curves(const std::vector<DisorderSample>& samples, Average average);
inline constexpr int jackknife_groups = 200;

/// The groups that any of the samples has, ascending: those of resampled_curves.
std::vector<int> groups_of(const std::vector<DisorderSample>& samples);

}  // namespace psflip
