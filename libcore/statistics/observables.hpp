#pragma once

#include <iterator>

#include "base/enum_table.hpp"
#include "statistics/formula.hpp"

namespace psflip {

/// Thermal averages of one realization at one temperature, in intensive units. Replicas are averaged,
/// overlaps over all pairs of replicas. The names are the names of datasets in observables files.
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
    chi_odd_z,
    end  ///< not an observable
};
inline constexpr int n_observables = static_cast<int>(Observable::end);

struct ObservableInfo {
    Observable observable;
    const char *name, *unit, *doc;
    bool (*of)(const Measured&);  ///< whether runs that measure this have it
    Formula formula;
    Allowed allowed;
    SharedNoise shared = SharedNoise::unknown;
    /// The formula of the disorder average of the same name, which results have; nullptr: none, or a row of
    /// average/averages.hpp says more.
    const char* average = nullptr;
};

/// E is the energy with its part of a field, Q the overlap of two replicas of N sites, q = Q / N, m = M / N
/// the magnetisation.
inline constexpr ObservableInfo observable_table[] = {
    {Observable::energy, "energy", "J", "<E>/N", runs_with::anything, formula::mean(Sum::energy),
     allowed::energy, SharedNoise::known},
    {Observable::energy2, "energy2", "J^2", "<E^2>/N^2", runs_with::anything, formula::mean(Sum::energy2),
     allowed::energy_square},
    {Observable::energy_product, "energy_product", "J^2",
     "<E>_a <E>_b / N^2 of replicas a and b, <E>^2 / N^2 without bias", runs_with::anything, formula::special,
     allowed::energy_square},
    {Observable::specific_heat, "specific_heat", "k_B", "beta^2 N (energy2 - energy_product) per site",
     runs_with::anything, formula::special, allowed::anything, SharedNoise::known},
    {Observable::q, "q", "1", "<q>", runs_with::overlaps, formula::signed_mean(Sum::overlap, Sum::overlap2),
     allowed::overlap},
    {Observable::q_abs, "q_abs", "1", "<|q|>", runs_with::overlaps, formula::mean(Sum::overlap_abs),
     allowed::overlap_moment, SharedNoise::known},
    {Observable::q2, "q2", "1", "<q^2>", runs_with::overlaps, formula::mean(Sum::overlap2),
     allowed::overlap_moment, SharedNoise::known},
    {Observable::q4, "q4", "1", "<q^4>", runs_with::overlaps, formula::mean(Sum::overlap4),
     allowed::overlap_moment, SharedNoise::known},
    {Observable::q_link, "q_link", "1", "<q_link>, the overlap of bonds", runs_with::overlaps,
     formula::mean(Sum::link), allowed::overlap, SharedNoise::known},
    {Observable::kmin, "kmin", "1", "<|q(k)|^2>, k the smallest wave vector, mean over the three axes",
     runs_with::overlaps, formula::mean(Sum::kmin_x), allowed::overlap_moment, SharedNoise::known},
    {Observable::q2_product, "q2_product", "1",
     "<q^2>_ab <q^2>_cd of pairs of replicas, <q^2>^2 without bias", runs_with::overlaps,
     formula::pair_product(Sum::overlap2, Sum::overlap2), allowed::product},
    {Observable::q_link2, "q_link2", "1", "<q_link^2>", runs_with::overlaps, formula::mean(Sum::link2),
     allowed::square},
    {Observable::q_link_product, "q_link_product", "1",
     "<q_link>_ab <q_link>_cd of pairs of replicas, <q_link>^2 without bias", runs_with::overlaps,
     formula::pair_product(Sum::link, Sum::link), allowed::product},
    {Observable::q2_q_link, "q2_q_link", "1", "<q^2 q_link>", runs_with::overlaps,
     formula::mean(Sum::overlap2_link), allowed::product},
    {Observable::q2_q_link_product, "q2_q_link_product", "1",
     "<q^2>_ab <q_link>_cd of pairs of replicas, <q^2> <q_link> without bias", runs_with::overlaps,
     formula::pair_product(Sum::overlap2, Sum::link), allowed::product},
    {Observable::m, "m", "1", "<m>, the magnetisation", runs_with::magnetisations,
     formula::signed_mean(Sum::magnetisation, Sum::magnetisation2), allowed::component},
    {Observable::m_abs, "m_abs", "1", "<|m|>", runs_with::magnetisations,
     formula::mean(Sum::magnetisation_abs), allowed::moment, SharedNoise::known},
    {Observable::m2, "m2", "1", "<m^2>", runs_with::magnetisations, formula::mean(Sum::magnetisation2),
     allowed::moment, SharedNoise::known},
    {Observable::m4, "m4", "1", "<m^4>", runs_with::magnetisations, formula::mean(Sum::magnetisation4),
     allowed::moment, SharedNoise::known},
    {Observable::m_kmin, "m_kmin", "1", "<|m(k)|^2>, k the smallest wave vector, mean over the three axes",
     runs_with::magnetisations, formula::mean(Sum::magnetisation_kmin_x), allowed::moment,
     SharedNoise::known},
    {Observable::m_abs_product, "m_abs_product", "1",
     "<|m|>_a <|m|>_b of replicas a and b, <|m|>^2 without bias", runs_with::magnetisations, formula::special,
     allowed::product},
    {Observable::replicon, "replicon", "1",
     "chi_R / N at k = 0, the mean of <s_i s_j> - <s_i> <s_j> squared over pairs of sites",
     runs_with::overlaps_in_field, formula::mean(Sum::replicon), allowed::replicon, SharedNoise::known},
    {Observable::replicon_kmin, "replicon_kmin", "1",
     "chi_R / N at the smallest wave vector, mean over the three axes", runs_with::overlaps_in_field,
     formula::mean(Sum::replicon_kmin), allowed::replicon, SharedNoise::known},
    {Observable::replicon_diagonal, "replicon_diagonal", "1",
     "chi_R / N at (2 pi/L) (1, 1, 0), mean over the diagonals", runs_with::overlaps_in_field,
     formula::mean(Sum::replicon_diagonal), allowed::replicon, SharedNoise::known},
    {Observable::energy_bond, "energy_bond", "J", "the energy of the bonds per bond that is there",
     runs_with::absent_bonds, formula::special, allowed::component, SharedNoise::known},
    {Observable::q2_dbeta, "q2_dbeta", "J", "d<q^2>/d beta, measured by the run", runs_with::overlap_slopes,
     formula::slope(Sum::overlap2, Sum::overlap2_energy), allowed::anything_of_pairs},
    {Observable::q4_dbeta, "q4_dbeta", "J", "d<q^4>/d beta", runs_with::overlap_slopes,
     formula::slope(Sum::overlap4, Sum::overlap4_energy), allowed::anything_of_pairs},
    {Observable::kmin_dbeta, "kmin_dbeta", "J", "d<|q(k)|^2>/d beta, k as in kmin", runs_with::overlap_slopes,
     formula::slope(Sum::kmin_x, Sum::kmin_energy), allowed::anything_of_pairs},
    {Observable::m2_dbeta, "m2_dbeta", "J", "d<m^2>/d beta, measured by the run",
     runs_with::magnetisation_slopes, formula::slope(Sum::magnetisation2, Sum::magnetisation2_energy),
     allowed::anything},
    {Observable::m4_dbeta, "m4_dbeta", "J", "d<m^4>/d beta", runs_with::magnetisation_slopes,
     formula::slope(Sum::magnetisation4, Sum::magnetisation4_energy), allowed::anything},
    {Observable::m_kmin_dbeta, "m_kmin_dbeta", "J", "d<|m(k)|^2>/d beta, k as in m_kmin",
     runs_with::magnetisation_slopes,
     formula::slope(Sum::magnetisation_kmin_x, Sum::magnetisation_kmin_energy), allowed::anything},
    {Observable::energy_exchange, "energy_exchange", "J", "the exchange's part of energy", runs_with::vectors,
     formula::mean(Sum::energy_terms, 0), allowed::energy},
    {Observable::energy_dm, "energy_dm", "J", "the part of the Dzyaloshinskii-Moriya vectors of energy",
     runs_with::vectors, formula::mean(Sum::energy_terms, 1), allowed::energy},
    {Observable::energy_anisotropy, "energy_anisotropy", "J", "the anisotropy's part of energy",
     runs_with::vectors, formula::mean(Sum::energy_terms, 2), allowed::energy},
    {Observable::energy_field, "energy_field", "J", "the field's part of energy", runs_with::vectors,
     formula::mean(Sum::energy_terms, 3), allowed::energy},
    {Observable::ms_abs, "ms_abs", "1", "<|m_s|>, m_s = sum over sites of (-1)^(x+y+z) S / N",
     runs_with::vectors, formula::mean(Sum::staggered_abs), allowed::moment},
    {Observable::ms2, "ms2", "1", "<m_s^2>", runs_with::vectors, formula::mean(Sum::staggered2),
     allowed::moment},
    {Observable::ms4, "ms4", "1", "<m_s^4>", runs_with::vectors, formula::mean(Sum::staggered4),
     allowed::moment},
    {Observable::ms_kmin, "ms_kmin", "1",
     "<|m_s(k)|^2>, k the smallest wave vector, mean over the three axes", runs_with::vectors,
     formula::mean(Sum::staggered_kmin), allowed::moment},
    {Observable::even_a_x, "even_a_x", "1", "<sum of S_x>/N over the sites of even x + y + z that are a",
     runs_with::vectors, formula::part_mean(0, 0, 0), allowed::component},
    {Observable::even_a_y, "even_a_y", "1", "<sum of S_y>/N over the sites of even x + y + z that are a",
     runs_with::vectors, formula::part_mean(0, 0, 1), allowed::component},
    {Observable::even_a_z, "even_a_z", "1", "<sum of S_z>/N over the sites of even x + y + z that are a",
     runs_with::vectors, formula::part_mean(0, 0, 2), allowed::component},
    {Observable::even_b_x, "even_b_x", "1", "<sum of S_x>/N over the sites of even x + y + z that are b",
     runs_with::vectors, formula::part_mean(0, 1, 0), allowed::component},
    {Observable::even_b_y, "even_b_y", "1", "<sum of S_y>/N over the sites of even x + y + z that are b",
     runs_with::vectors, formula::part_mean(0, 1, 1), allowed::component},
    {Observable::even_b_z, "even_b_z", "1", "<sum of S_z>/N over the sites of even x + y + z that are b",
     runs_with::vectors, formula::part_mean(0, 1, 2), allowed::component},
    {Observable::odd_a_x, "odd_a_x", "1", "<sum of S_x>/N over the sites of odd x + y + z that are a",
     runs_with::vectors, formula::part_mean(1, 0, 0), allowed::component},
    {Observable::odd_a_y, "odd_a_y", "1", "<sum of S_y>/N over the sites of odd x + y + z that are a",
     runs_with::vectors, formula::part_mean(1, 0, 1), allowed::component},
    {Observable::odd_a_z, "odd_a_z", "1", "<sum of S_z>/N over the sites of odd x + y + z that are a",
     runs_with::vectors, formula::part_mean(1, 0, 2), allowed::component},
    {Observable::odd_b_x, "odd_b_x", "1", "<sum of S_x>/N over the sites of odd x + y + z that are b",
     runs_with::vectors, formula::part_mean(1, 1, 0), allowed::component},
    {Observable::odd_b_y, "odd_b_y", "1", "<sum of S_y>/N over the sites of odd x + y + z that are b",
     runs_with::vectors, formula::part_mean(1, 1, 1), allowed::component},
    {Observable::odd_b_z, "odd_b_z", "1", "<sum of S_z>/N over the sites of odd x + y + z that are b",
     runs_with::vectors, formula::part_mean(1, 1, 2), allowed::component},
    {Observable::qt2, "qt2", "1", "<q^2>, q^2 the sum of the squares of the overlap tensor",
     runs_with::overlap_tensors, formula::mean(Sum::overlap_tensor2), allowed::overlap_moment},
    {Observable::qt4, "qt4", "1", "<q^4>, q^2 as in qt2", runs_with::overlap_tensors,
     formula::mean(Sum::overlap_tensor4), allowed::overlap_moment},
    {Observable::moment_x, "moment_x", "1", "<sum of m S_x>/N, m the moments of the species",
     runs_with::directions, formula::signed_mean(Sum::directions, Sum::directions2, moment_direction),
     allowed::anything},
    {Observable::moment_y, "moment_y", "1", "<sum of m S_y>/N, m the moments of the species",
     runs_with::directions, formula::signed_mean(Sum::directions, Sum::directions2, moment_direction + 1),
     allowed::anything},
    {Observable::moment_z, "moment_z", "1", "<sum of m S_z>/N, m the moments of the species",
     runs_with::directions, formula::signed_mean(Sum::directions, Sum::directions2, moment_direction + 2),
     allowed::anything},
    {Observable::chi_x, "chi_x", "1/J", "beta N (<M_x^2> - <M_x>^2), M = the moment sum m S / N",
     runs_with::directions, formula::susceptibility(moment_direction), allowed::anything_of_pairs},
    {Observable::chi_y, "chi_y", "1/J", "beta N (<M_y^2> - <M_y>^2), M = the moment sum m S / N",
     runs_with::directions, formula::susceptibility(moment_direction + 1), allowed::anything_of_pairs},
    {Observable::chi_z, "chi_z", "1/J", "beta N (<M_z^2> - <M_z>^2), M = the moment sum m S / N",
     runs_with::directions, formula::susceptibility(moment_direction + 2), allowed::anything_of_pairs},
    {Observable::chi_staggered_x, "chi_staggered_x", "1/J",
     "beta N (<M_x^2> - <M_x>^2), M = the staggered magnetisation / N", runs_with::directions,
     formula::susceptibility(staggered_direction), allowed::anything_of_pairs},
    {Observable::chi_staggered_y, "chi_staggered_y", "1/J",
     "beta N (<M_y^2> - <M_y>^2), M = the staggered magnetisation / N", runs_with::directions,
     formula::susceptibility(staggered_direction + 1), allowed::anything_of_pairs},
    {Observable::chi_staggered_z, "chi_staggered_z", "1/J",
     "beta N (<M_z^2> - <M_z>^2), M = the staggered magnetisation / N", runs_with::directions,
     formula::susceptibility(staggered_direction + 2), allowed::anything_of_pairs},
    {Observable::chi_even_x, "chi_even_x", "1/J",
     "beta N (<M_x^2> - <M_x>^2), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions, formula::susceptibility(even_direction), allowed::anything_of_pairs},
    {Observable::chi_even_y, "chi_even_y", "1/J",
     "beta N (<M_y^2> - <M_y>^2), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions, formula::susceptibility(even_direction + 1), allowed::anything_of_pairs},
    {Observable::chi_even_z, "chi_even_z", "1/J",
     "beta N (<M_z^2> - <M_z>^2), M = the magnetisation of the sites of even x + y + z / N",
     runs_with::directions, formula::susceptibility(even_direction + 2), allowed::anything_of_pairs},
    {Observable::chi_odd_x, "chi_odd_x", "1/J",
     "beta N (<M_x^2> - <M_x>^2), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions, formula::susceptibility(odd_direction), allowed::anything_of_pairs},
    {Observable::chi_odd_y, "chi_odd_y", "1/J",
     "beta N (<M_y^2> - <M_y>^2), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions, formula::susceptibility(odd_direction + 1), allowed::anything_of_pairs},
    {Observable::chi_odd_z, "chi_odd_z", "1/J",
     "beta N (<M_z^2> - <M_z>^2), M = the magnetisation of the sites of odd x + y + z / N",
     runs_with::directions, formula::susceptibility(odd_direction + 2), allowed::anything_of_pairs},
};
static_assert(is_table_of(observable_table, &ObservableInfo::observable, Observable::end));

constexpr const ObservableInfo& info(Observable observable) {
    return observable_table[static_cast<int>(observable)];
}

constexpr const char* observable_name(Observable observable) {
    return info(observable).name;
}

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
inline constexpr int n_shared_pairs = static_cast<int>(std::size(shared_pairs));

/// The number of a pair among shared_pairs; -1: it is none.
constexpr int shared_pair(Observable first, Observable second) {
    for (int p = 0; p < n_shared_pairs; ++p)
        if (shared_pairs[p].first == first && shared_pairs[p].second == second) return p;
    return -1;
}

constexpr bool is_shared(Observable observable) {
    return info(observable).shared == SharedNoise::known;
}

/// The observables whose means in log2 bins are kept and compared, where is_binned says so.
inline constexpr Observable binned_observables[] = {Observable::energy, Observable::q2, Observable::q_link,
                                                    Observable::m2};
inline constexpr int n_binned_observables = static_cast<int>(std::size(binned_observables));

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
