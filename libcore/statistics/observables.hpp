#pragma once

#include "statistics/quantity.hpp"

namespace psflip {

/// Per realization and temperature, intensive: energy <E>/N; energy2 <E^2>/N^2; energy_product <e>_a<e>_b
/// (<e>^2, without bias where there are two replicas); specific_heat beta^2 N (energy2 - energy_product); q,
/// q_abs, q2, q4, q_link, kmin = <|q(k_min)|^2> averaged over the three axes; q2_product <q2>_ab <q2>_cd
/// (<q2>^2, without bias where there are four replicas), q_link_product and q2_q_link_product likewise of
/// <q_link> with itself and with <q2>; q_link2 <q_link^2>, q2_q_link <q^2 q_link>; m, m_abs, m2, m4, m_kmin
/// likewise of the magnetisation; m_abs_product <|m|>_a <|m|>_b (<|m|>^2, as energy_product); replicon,
/// replicon_kmin, replicon_diagonal of four or more replicas in a field (measure/replicon.hpp); energy_bond
/// the energy of the bonds per bond that is there, where some are absent by law; q2_dbeta, ... the
/// derivatives d/d beta of q2, q4, kmin, m2, m4 and m_kmin (thermal/slopes.hpp). Of vector spins m2, m4 and
/// m_kmin are those of the vector m, m_abs is its length and m its component z; there are the terms of the
/// energy, the staggered ms_abs, ms2, ms4, ms_kmin, m in its parts by sublattice, species and component, the
/// moment (sum over sites of m S with the moments m of the species), and the susceptibilities of each
/// component of the moment, of m_s and of the sublattices, with <M>^2 without bias as in energy_product; on
/// random sites the moments qt2 and qt4 of the overlap tensor, whose squares q^2 adds up. Replicas are
/// averaged, overlaps over all replica pairs. q_link is that of the bonds that are there. The names are those
/// of the datasets in observables files.
enum class Observable {
    energy,
    energy2,
    energy_product,
    specific_heat,
    q,
    q_abs,
    q2,
    q4,
    q_link,
    kmin,
    q2_product,
    q_link2,
    q_link_product,
    q2_q_link,
    q2_q_link_product,
    m,
    m_abs,
    m2,
    m4,
    m_kmin,
    m_abs_product,
    replicon,
    replicon_kmin,
    replicon_diagonal,
    energy_bond,
    q2_dbeta,
    q4_dbeta,
    kmin_dbeta,
    m2_dbeta,
    m4_dbeta,
    m_kmin_dbeta,
    energy_exchange,
    energy_dm,
    energy_anisotropy,
    energy_field,
    ms_abs,
    ms2,
    ms4,
    ms_kmin,
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
    qt2,
    qt4,
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
    chi_odd_z
};
inline constexpr int n_observables = 68;

/// Which term of the energy, or part of the magnetisation, of vector spins it is; -1: none.
constexpr int term_of(Observable o) {
    const int term = static_cast<int>(o) - static_cast<int>(Observable::energy_exchange);
    return term >= 0 && term < energy_terms ? term : -1;
}
constexpr int part_of(Observable o) {
    const int part = static_cast<int>(o) - static_cast<int>(Observable::even_a_x);
    return part >= 0 && part < magnetisation_parts ? part : -1;
}
/// Of which of `directions` it is the mean, or the susceptibility; -1: of none.
constexpr int direction_of(Observable o) {
    if (o >= Observable::chi_x) return static_cast<int>(o) - static_cast<int>(Observable::chi_x);
    return o < Observable::moment_x ? -1 : static_cast<int>(o) - static_cast<int>(Observable::moment_x);
}

/// In the order of the enum; E is the energy, with its part of a field, Q the overlap of two replicas of N
/// sites, q = Q / N, m = M / N the magnetisation.
inline constexpr Quantity observable_table[n_observables] = {
    {"energy", "J", "<E>/N"},
    {"energy2", "J^2", "<E^2>/N^2"},
    {"energy_product", "J^2", "<E>_a <E>_b / N^2 of replicas a and b, <E>^2 / N^2 without bias"},
    {"specific_heat", "k_B", "beta^2 N (energy2 - energy_product) per site"},
    {"q", "1", "<q>", runs_with::overlaps},
    {"q_abs", "1", "<|q|>", runs_with::overlaps},
    {"q2", "1", "<q^2>", runs_with::overlaps},
    {"q4", "1", "<q^4>", runs_with::overlaps},
    {"q_link", "1", "<q_link>, the overlap of bonds", runs_with::overlaps},
    {"kmin", "1", "<|q(k)|^2>, k the smallest wave vector, mean over the three axes", runs_with::overlaps},
    {"q2_product", "1", "<q^2>_ab <q^2>_cd of pairs of replicas, <q^2>^2 without bias", runs_with::overlaps},
    {"q_link2", "1", "<q_link^2>", runs_with::overlaps},
    {"q_link_product", "1", "<q_link>_ab <q_link>_cd of pairs of replicas, <q_link>^2 without bias",
     runs_with::overlaps},
    {"q2_q_link", "1", "<q^2 q_link>", runs_with::overlaps},
    {"q2_q_link_product", "1", "<q^2>_ab <q_link>_cd of pairs of replicas, <q^2> <q_link> without bias",
     runs_with::overlaps},
    {"m", "1", "<m>, the magnetisation", runs_with::magnetisations},
    {"m_abs", "1", "<|m|>", runs_with::magnetisations},
    {"m2", "1", "<m^2>", runs_with::magnetisations},
    {"m4", "1", "<m^4>", runs_with::magnetisations},
    {"m_kmin", "1", "<|m(k)|^2>, k the smallest wave vector, mean over the three axes",
     runs_with::magnetisations},
    {"m_abs_product", "1", "<|m|>_a <|m|>_b of replicas a and b, <|m|>^2 without bias",
     runs_with::magnetisations},
    {"replicon", "1", "chi_R / N at k = 0, the mean of <s_i s_j> - <s_i> <s_j> squared over pairs of sites",
     runs_with::overlaps_in_field},
    {"replicon_kmin", "1", "chi_R / N at the smallest wave vector, mean over the three axes",
     runs_with::overlaps_in_field},
    {"replicon_diagonal", "1", "chi_R / N at (2 pi/L) (1, 1, 0), mean over the diagonals",
     runs_with::overlaps_in_field},
    {"energy_bond", "J", "the energy of the bonds per bond that is there", runs_with::absent_bonds},
    {"q2_dbeta", "J", "d<q^2>/d beta, measured by the run", runs_with::overlap_slopes},
    {"q4_dbeta", "J", "d<q^4>/d beta", runs_with::overlap_slopes},
    {"kmin_dbeta", "J", "d<|q(k)|^2>/d beta, k as in kmin", runs_with::overlap_slopes},
    {"m2_dbeta", "J", "d<m^2>/d beta, measured by the run", runs_with::magnetisation_slopes},
    {"m4_dbeta", "J", "d<m^4>/d beta", runs_with::magnetisation_slopes},
    {"m_kmin_dbeta", "J", "d<|m(k)|^2>/d beta, k as in m_kmin", runs_with::magnetisation_slopes},
    {"energy_exchange", "J", "the exchange's part of energy", runs_with::vectors},
    {"energy_dm", "J", "the part of the Dzyaloshinskii-Moriya vectors of energy", runs_with::vectors},
    {"energy_anisotropy", "J", "the anisotropy's part of energy", runs_with::vectors},
    {"energy_field", "J", "the field's part of energy", runs_with::vectors},
    {"ms_abs", "1", "<|m_s|>, m_s = sum over sites of (-1)^(x+y+z) S / N", runs_with::vectors},
    {"ms2", "1", "<m_s^2>", runs_with::vectors},
    {"ms4", "1", "<m_s^4>", runs_with::vectors},
    {"ms_kmin", "1", "<|m_s(k)|^2>, k the smallest wave vector, mean over the three axes",
     runs_with::vectors},
    {"even_a_x", "1", "<sum of S_x>/N over the sites of even x + y + z that are a", runs_with::vectors},
    {"even_a_y", "1", "<sum of S_y>/N over the sites of even x + y + z that are a", runs_with::vectors},
    {"even_a_z", "1", "<sum of S_z>/N over the sites of even x + y + z that are a", runs_with::vectors},
    {"even_b_x", "1", "<sum of S_x>/N over the sites of even x + y + z that are b", runs_with::vectors},
    {"even_b_y", "1", "<sum of S_y>/N over the sites of even x + y + z that are b", runs_with::vectors},
    {"even_b_z", "1", "<sum of S_z>/N over the sites of even x + y + z that are b", runs_with::vectors},
    {"odd_a_x", "1", "<sum of S_x>/N over the sites of odd x + y + z that are a", runs_with::vectors},
    {"odd_a_y", "1", "<sum of S_y>/N over the sites of odd x + y + z that are a", runs_with::vectors},
    {"odd_a_z", "1", "<sum of S_z>/N over the sites of odd x + y + z that are a", runs_with::vectors},
    {"odd_b_x", "1", "<sum of S_x>/N over the sites of odd x + y + z that are b", runs_with::vectors},
    {"odd_b_y", "1", "<sum of S_y>/N over the sites of odd x + y + z that are b", runs_with::vectors},
    {"odd_b_z", "1", "<sum of S_z>/N over the sites of odd x + y + z that are b", runs_with::vectors},
    {"qt2", "1", "<q^2>, q^2 the sum of the squares of the overlap tensor", runs_with::overlap_tensors},
    {"qt4", "1", "<q^4>, q^2 as in qt2", runs_with::overlap_tensors},
    {"moment_x", "1", "<sum of m S_x>/N, m the moments of the species", runs_with::directions},
    {"moment_y", "1", "<sum of m S_y>/N, m the moments of the species", runs_with::directions},
    {"moment_z", "1", "<sum of m S_z>/N, m the moments of the species", runs_with::directions},
    {"chi_x", "1/J", "beta N (<M_x^2> - <M_x>^2), M = the moment sum m S / N", runs_with::directions},
    {"chi_y", "1/J", "beta N (<M_y^2> - <M_y>^2), M = the moment sum m S / N", runs_with::directions},
    {"chi_z", "1/J", "beta N (<M_z^2> - <M_z>^2), M = the moment sum m S / N", runs_with::directions},
    {"chi_staggered_x", "1/J", "beta N (<M_x^2> - <M_x>^2), M = the staggered magnetisation / N",
     runs_with::directions},
    {"chi_staggered_y", "1/J", "beta N (<M_y^2> - <M_y>^2), M = the staggered magnetisation / N",
     runs_with::directions},
    {"chi_staggered_z", "1/J", "beta N (<M_z^2> - <M_z>^2), M = the staggered magnetisation / N",
     runs_with::directions},
    {"chi_even_x", "1/J",
     "beta N (<M_x^2> - <M_x>^2), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions},
    {"chi_even_y", "1/J",
     "beta N (<M_y^2> - <M_y>^2), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions},
    {"chi_even_z", "1/J",
     "beta N (<M_z^2> - <M_z>^2), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions},
    {"chi_odd_x", "1/J",
     "beta N (<M_x^2> - <M_x>^2), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions},
    {"chi_odd_y", "1/J",
     "beta N (<M_y^2> - <M_y>^2), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions},
    {"chi_odd_z", "1/J",
     "beta N (<M_z^2> - <M_z>^2), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions},
};

constexpr const Quantity& info(Observable observable) {
    return observable_table[static_cast<int>(observable)];
}

constexpr const char* observable_name(Observable observable) {
    return info(observable).name;
}

/// The observables whose disorder averages, or functions of them, reduce-disorder gives with errors that take
/// into account that realizations share random numbers (see shared_noise.hpp).
inline constexpr Observable shared_observables[] = {Observable::energy,
                                                    Observable::specific_heat,
                                                    Observable::q_abs,
                                                    Observable::q2,
                                                    Observable::q4,
                                                    Observable::q_link,
                                                    Observable::kmin,
                                                    Observable::m_abs,
                                                    Observable::m2,
                                                    Observable::m4,
                                                    Observable::m_kmin,
                                                    Observable::replicon,
                                                    Observable::replicon_kmin,
                                                    Observable::replicon_diagonal,
                                                    Observable::energy_bond};

/// Pairs of observables of which a quantity is a function: Binder ratios, xi_L/L, the susceptibility. Files
/// have the noise that realizations share of them, and of a single realization the covariance of both means.
struct SharedPair {
    Observable first, second;
    const char* name;  ///< of the dataset
};
inline constexpr SharedPair shared_pairs[] = {
    {Observable::q2, Observable::q4, "q2_q4"},
    {Observable::q2, Observable::kmin, "q2_kmin"},
    {Observable::m2, Observable::m4, "m2_m4"},
    {Observable::m2, Observable::m_kmin, "m2_m_kmin"},
    {Observable::m2, Observable::m_abs, "m2_m_abs"},
    {Observable::replicon, Observable::replicon_kmin, "replicon_replicon_kmin"},
    {Observable::replicon_kmin, Observable::replicon_diagonal, "replicon_kmin_replicon_diagonal"},
    {Observable::ms2, Observable::ms4, "ms2_ms4"},
    {Observable::ms2, Observable::ms_abs, "ms2_ms_abs"},
    {Observable::ms2, Observable::ms_kmin, "ms2_ms_kmin"},
    {Observable::qt2, Observable::qt4, "qt2_qt4"}};
inline constexpr int n_shared_pairs = 11;

constexpr bool is_shared(Observable observable) {
    for (Observable o : shared_observables)
        if (o == observable) return true;
    return false;
}

/// The observables whose means in log2 bins are kept and compared, where is_binned says so.
inline constexpr Observable binned_observables[] = {Observable::energy, Observable::q2, Observable::q_link,
                                                    Observable::m2};
inline constexpr int n_binned_observables = 4;

/// The square whose equilibrium is tested beside the energy: q^2, or m^2 where there are no overlaps; and the
/// sums of it and of its square.
struct OrderParameter {
    Observable observable;
    Sum square, fourth;
};
constexpr OrderParameter order_parameter(const Measured& measured) {
    if (measured.overlaps) return {Observable::q2, Sum::overlap2, Sum::overlap4};
    return {Observable::m2, Sum::magnetisation2, Sum::magnetisation4};
}
constexpr bool is_binned(Observable observable, const Measured& measured) {
    return info(observable).of(measured) && (observable != Observable::m2 || !measured.overlaps);
}

}  // namespace psflip
