#pragma once

// Defines the table of thermal averages, which observables files contain. A new observable needs a row here.

#include <iterator>
#include <string>

#include "base/row_of.hpp"
#include "statistics/formula.hpp"

namespace psflip {

/// Describes one thermal average: name, unit, formula, sums and range.
struct ObservableInfo {
    const char *name, *unit, *doc;
    bool (*of)(const Measured&);  ///< whether a run that measures these quantities has this average
    Formula formula;
    Allowed allowed;
    bool in_results;  ///< whether results.csv has its disorder average, in a column of this name
    SharedNoise shared = SharedNoise::unknown;
};
inline constexpr bool in_results = true, in_files = false;

/// Lists the thermal averages of one realization at one temperature, in intensive units. Values are averaged
/// over replicas, and overlaps over all pairs of replicas. The names are the dataset names of observables
/// files. E is the energy, including the field. Q is the overlap of two replicas of N sites, and q = Q / N. M
/// is the magnetisation, and m = M / N.
inline constexpr ObservableInfo observable_table[] = {
    {"energy", "J", "<E>/N", runs_with::anything, formula::mean(Sum::energy), allowed::energy, in_results,
     SharedNoise::known},
    {"energy2", "J^2", "<E^2>/N^2", runs_with::anything, formula::mean(Sum::energy2), allowed::energy_square,
     in_files},
    {"energy_product", "J^2", "<E>_a <E>_b / N^2 of replicas a and b: <E>^2 / N^2 without bias",
     runs_with::anything, formula::special, allowed::energy_square, in_files},
    {"specific_heat", "k_B", "beta^2 N (energy2 - energy_product), per site", runs_with::anything,
     formula::special, allowed::anything, in_results, SharedNoise::known},
    {"q", "1", "<q>", runs_with::overlaps, formula::signed_mean(Sum::overlap, Sum::overlap2),
     allowed::overlap, in_files},
    {"q_abs", "1", "<|q|>", runs_with::overlaps, formula::mean(Sum::overlap_abs), allowed::overlap_moment,
     in_results, SharedNoise::known},
    {"q2", "1", "<q^2>", runs_with::overlaps, formula::mean(Sum::overlap2), allowed::overlap_moment,
     in_results, SharedNoise::known},
    {"q4", "1", "<q^4>", runs_with::overlaps, formula::mean(Sum::overlap4), allowed::overlap_moment,
     in_results, SharedNoise::known},
    {"q_link", "1", "<q_link>, the link overlap", runs_with::overlaps, formula::mean(Sum::link),
     allowed::overlap, in_results, SharedNoise::known},
    {"kmin", "1", "<|q(k)|^2> at the smallest wave vectors k, mean over the axes", runs_with::overlaps,
     formula::mean(Sum::kmin_x), allowed::overlap_moment, in_files, SharedNoise::known},
    {"q2_product", "1", "<q^2>_ab <q^2>_cd of distinct replicas: <q^2>^2 without bias", runs_with::overlaps,
     formula::pair_product(Sum::overlap2, Sum::overlap2), allowed::product, in_files},
    {"q_link2", "1", "<q_link^2>", runs_with::overlaps, formula::mean(Sum::link2), allowed::square, in_files},
    {"q_link_product", "1", "<q_link>_ab <q_link>_cd of distinct replicas: <q_link>^2 without bias",
     runs_with::overlaps, formula::pair_product(Sum::link, Sum::link), allowed::product, in_files},
    {"q2_q_link", "1", "<q^2 q_link>", runs_with::overlaps, formula::mean(Sum::overlap2_link),
     allowed::product, in_files},
    {"q2_q_link_product", "1", "<q^2>_ab <q_link>_cd of distinct replicas: <q^2> <q_link> without bias",
     runs_with::overlaps, formula::pair_product(Sum::overlap2, Sum::link), allowed::product, in_files},
    {"m", "1", "<m>, the magnetisation", runs_with::magnetisations,
     formula::signed_mean(Sum::magnetisation, Sum::magnetisation2), allowed::component, in_files},
    {"m_abs", "1", "<|m|>", runs_with::magnetisations, formula::mean(Sum::magnetisation_abs), allowed::moment,
     in_results, SharedNoise::known},
    {"m2", "1", "<m^2>", runs_with::magnetisations, formula::mean(Sum::magnetisation2), allowed::moment,
     in_results, SharedNoise::known},
    {"m4", "1", "<m^4>", runs_with::magnetisations, formula::mean(Sum::magnetisation4), allowed::moment,
     in_results, SharedNoise::known},
    {"m_kmin", "1", "<|m(k)|^2> at the smallest wave vectors k, mean over the axes",
     runs_with::magnetisations, formula::mean(Sum::magnetisation_kmin_x), allowed::moment, in_files,
     SharedNoise::known},
    {"m_abs_product", "1", "<|m|>_a <|m|>_b of replicas a and b: <|m|>^2 without bias",
     runs_with::magnetisations, formula::special, allowed::product, in_files},
    {"m2_improved", "1", "<m^2> from clusters, with a smaller variance than m2", runs_with::clusters,
     formula::mean(Sum::magnetisation2_improved), allowed::moment, in_results, SharedNoise::known},
    {"m_kmin_improved", "1", "<|m(k)|^2> from clusters, with k as in m_kmin", runs_with::clusters,
     formula::mean(Sum::magnetisation_kmin_improved), allowed::moment, in_files, SharedNoise::known},
    {"replicon", "1", "chi_R / N at k = 0: the mean of (<s_i s_j> - <s_i> <s_j>)^2 over all sites i and j",
     runs_with::overlaps_in_field, formula::mean(Sum::replicon), allowed::replicon, in_files,
     SharedNoise::known},
    {"replicon_kmin", "1", "chi_R / N at the smallest wave vectors, mean over the axes",
     runs_with::overlaps_in_field, formula::mean(Sum::replicon_kmin), allowed::replicon, in_files,
     SharedNoise::known},
    {"replicon_diagonal", "1", "chi_R / N at the wave vectors (2 pi/L) (1, 1, 0), mean over the diagonals",
     runs_with::overlaps_in_field, formula::mean(Sum::replicon_diagonal), allowed::replicon, in_files,
     SharedNoise::known},
    {"energy_bond", "J", "the energy of the bonds per present bond", runs_with::absent_bonds,
     formula::special, allowed::component, in_results, SharedNoise::known},
    {"q2_dbeta", "J", "d<q^2>/d beta, from products with the energy", runs_with::overlap_slopes,
     formula::slope(Sum::overlap2, Sum::overlap2_energy), allowed::anything_of_pairs, in_results},
    {"q4_dbeta", "J", "d<q^4>/d beta", runs_with::overlap_slopes,
     formula::slope(Sum::overlap4, Sum::overlap4_energy), allowed::anything_of_pairs, in_files},
    {"kmin_dbeta", "J", "d<|q(k)|^2>/d beta, with k as in kmin", runs_with::overlap_slopes,
     formula::slope(Sum::kmin_x, Sum::kmin_energy), allowed::anything_of_pairs, in_files},
    {"m2_dbeta", "J", "d<m^2>/d beta, from products with the energy", runs_with::magnetisation_slopes,
     formula::slope(Sum::magnetisation2, Sum::magnetisation2_energy), allowed::anything, in_results},
    {"m4_dbeta", "J", "d<m^4>/d beta", runs_with::magnetisation_slopes,
     formula::slope(Sum::magnetisation4, Sum::magnetisation4_energy), allowed::anything, in_files},
    {"m_kmin_dbeta", "J", "d<|m(k)|^2>/d beta, with k as in m_kmin", runs_with::magnetisation_slopes,
     formula::slope(Sum::magnetisation_kmin_x, Sum::magnetisation_kmin_energy), allowed::anything, in_files},
    {"energy_exchange", "J", "the exchange energy per site", runs_with::vectors,
     formula::mean(Sum::energy_terms, 0), allowed::energy, in_results},
    {"energy_dm", "J", "the Dzyaloshinskii-Moriya energy per site", runs_with::vectors,
     formula::mean(Sum::energy_terms, 1), allowed::energy, in_results},
    {"energy_anisotropy", "J", "the anisotropy energy per site", runs_with::vectors,
     formula::mean(Sum::energy_terms, 2), allowed::energy, in_results},
    {"energy_field", "J", "the field energy per site", runs_with::vectors,
     formula::mean(Sum::energy_terms, 3), allowed::energy, in_results},
    {"ms_abs", "1", "<|m_s|>, m_s = (1/N) sum of (-1)^(x+y+z) S over all sites", runs_with::vectors,
     formula::mean(Sum::staggered_abs), allowed::moment, in_results},
    {"ms2", "1", "<m_s^2>", runs_with::vectors, formula::mean(Sum::staggered2), allowed::moment, in_results},
    {"ms4", "1", "<m_s^4>", runs_with::vectors, formula::mean(Sum::staggered4), allowed::moment, in_results},
    {"ms_kmin", "1", "<|m_s(k)|^2> at the smallest wave vectors k, mean over the axes", runs_with::vectors,
     formula::mean(Sum::staggered_kmin), allowed::moment, in_files},
    {"even_a_x", "1", "(1/N) <sum of S_x> over the sites of species a with even x + y + z",
     runs_with::vectors, formula::part_mean(0, 0, 0), allowed::component, in_results},
    {"even_a_y", "1", "(1/N) <sum of S_y> over the sites of species a with even x + y + z",
     runs_with::vectors, formula::part_mean(0, 0, 1), allowed::component, in_results},
    {"even_a_z", "1", "(1/N) <sum of S_z> over the sites of species a with even x + y + z",
     runs_with::vectors, formula::part_mean(0, 0, 2), allowed::component, in_results},
    {"even_b_x", "1", "(1/N) <sum of S_x> over the sites of species b with even x + y + z",
     runs_with::vectors, formula::part_mean(0, 1, 0), allowed::component, in_results},
    {"even_b_y", "1", "(1/N) <sum of S_y> over the sites of species b with even x + y + z",
     runs_with::vectors, formula::part_mean(0, 1, 1), allowed::component, in_results},
    {"even_b_z", "1", "(1/N) <sum of S_z> over the sites of species b with even x + y + z",
     runs_with::vectors, formula::part_mean(0, 1, 2), allowed::component, in_results},
    {"odd_a_x", "1", "(1/N) <sum of S_x> over the sites of species a with odd x + y + z", runs_with::vectors,
     formula::part_mean(1, 0, 0), allowed::component, in_results},
    {"odd_a_y", "1", "(1/N) <sum of S_y> over the sites of species a with odd x + y + z", runs_with::vectors,
     formula::part_mean(1, 0, 1), allowed::component, in_results},
    {"odd_a_z", "1", "(1/N) <sum of S_z> over the sites of species a with odd x + y + z", runs_with::vectors,
     formula::part_mean(1, 0, 2), allowed::component, in_results},
    {"odd_b_x", "1", "(1/N) <sum of S_x> over the sites of species b with odd x + y + z", runs_with::vectors,
     formula::part_mean(1, 1, 0), allowed::component, in_results},
    {"odd_b_y", "1", "(1/N) <sum of S_y> over the sites of species b with odd x + y + z", runs_with::vectors,
     formula::part_mean(1, 1, 1), allowed::component, in_results},
    {"odd_b_z", "1", "(1/N) <sum of S_z> over the sites of species b with odd x + y + z", runs_with::vectors,
     formula::part_mean(1, 1, 2), allowed::component, in_results},
    {"qt2", "1", "<q^2>, q^2 the sum of the squared components of the overlap tensor",
     runs_with::overlap_tensors, formula::mean(Sum::overlap_tensor2), allowed::overlap_moment, in_results},
    {"qt4", "1", "<q^4>, with q^2 as in qt2", runs_with::overlap_tensors, formula::mean(Sum::overlap_tensor4),
     allowed::overlap_moment, in_results},
    {"moment_x", "1", "<mu_x>, mu = (1/N) sum of m_i S_i, m_i the moment of site i", runs_with::directions,
     formula::signed_mean(Sum::directions, Sum::directions2, moment_direction), allowed::anything,
     in_results},
    {"moment_y", "1", "<mu_y>, mu = (1/N) sum of m_i S_i, m_i the moment of site i", runs_with::directions,
     formula::signed_mean(Sum::directions, Sum::directions2, moment_direction + 1), allowed::anything,
     in_results},
    {"moment_z", "1", "<mu_z>, mu = (1/N) sum of m_i S_i, m_i the moment of site i", runs_with::directions,
     formula::signed_mean(Sum::directions, Sum::directions2, moment_direction + 2), allowed::anything,
     in_results},
    {"chi_x", "1/J", "beta N (<mu_x^2> - <mu_x>^2), mu = (1/N) sum of m_i S_i, m_i the moment of site i",
     runs_with::directions, formula::susceptibility(moment_direction), allowed::anything_of_pairs,
     in_results},
    {"chi_y", "1/J", "beta N (<mu_y^2> - <mu_y>^2), mu = (1/N) sum of m_i S_i, m_i the moment of site i",
     runs_with::directions, formula::susceptibility(moment_direction + 1), allowed::anything_of_pairs,
     in_results},
    {"chi_z", "1/J", "beta N (<mu_z^2> - <mu_z>^2), mu = (1/N) sum of m_i S_i, m_i the moment of site i",
     runs_with::directions, formula::susceptibility(moment_direction + 2), allowed::anything_of_pairs,
     in_results},
    {"chi_staggered_x", "1/J", "beta N (<v_x^2> - <v_x>^2), v = (1/N) sum of (-1)^(x+y+z) S over all sites",
     runs_with::directions, formula::susceptibility(staggered_direction), allowed::anything_of_pairs,
     in_results},
    {"chi_staggered_y", "1/J", "beta N (<v_y^2> - <v_y>^2), v = (1/N) sum of (-1)^(x+y+z) S over all sites",
     runs_with::directions, formula::susceptibility(staggered_direction + 1), allowed::anything_of_pairs,
     in_results},
    {"chi_staggered_z", "1/J", "beta N (<v_z^2> - <v_z>^2), v = (1/N) sum of (-1)^(x+y+z) S over all sites",
     runs_with::directions, formula::susceptibility(staggered_direction + 2), allowed::anything_of_pairs,
     in_results},
    {"chi_even_x", "1/J", "beta N (<v_x^2> - <v_x>^2), v = (1/N) sum of S over the sites with even x + y + z",
     runs_with::directions, formula::susceptibility(even_direction), allowed::anything_of_pairs, in_results},
    {"chi_even_y", "1/J", "beta N (<v_y^2> - <v_y>^2), v = (1/N) sum of S over the sites with even x + y + z",
     runs_with::directions, formula::susceptibility(even_direction + 1), allowed::anything_of_pairs,
     in_results},
    {"chi_even_z", "1/J", "beta N (<v_z^2> - <v_z>^2), v = (1/N) sum of S over the sites with even x + y + z",
     runs_with::directions, formula::susceptibility(even_direction + 2), allowed::anything_of_pairs,
     in_results},
    {"chi_odd_x", "1/J", "beta N (<v_x^2> - <v_x>^2), v = (1/N) sum of S over the sites with odd x + y + z",
     runs_with::directions, formula::susceptibility(odd_direction), allowed::anything_of_pairs, in_results},
    {"chi_odd_y", "1/J", "beta N (<v_y^2> - <v_y>^2), v = (1/N) sum of S over the sites with odd x + y + z",
     runs_with::directions, formula::susceptibility(odd_direction + 1), allowed::anything_of_pairs,
     in_results},
    {"chi_odd_z", "1/J", "beta N (<v_z^2> - <v_z>^2), v = (1/N) sum of S over the sites with odd x + y + z",
     runs_with::directions, formula::susceptibility(odd_direction + 2), allowed::anything_of_pairs,
     in_results},
};

using Observable = RowOf<observable_table>;
inline constexpr int n_observables = std::size(observable_table);

/// Names two observables of which a Binder ratio, xi_L/L, a susceptibility or R12 is a function. Files store
/// the covariance of the noise that shared random numbers cause in both observables. If a file has a single
/// realization, it also stores the covariance of both means.
struct SharedPair {
    Observable first, second;
    std::string name() const { return std::string(first->name) + "_" + second->name; }  ///< name in datasets
};
inline constexpr SharedPair shared_pairs[] = {{"q2", "q4"},
                                              {"q2", "kmin"},
                                              {"m2", "m4"},
                                              {"m2", "m_kmin"},
                                              {"m2", "m_abs"},
                                              {"m2_improved", "m_kmin_improved"},
                                              {"replicon", "replicon_kmin"},
                                              {"replicon_kmin", "replicon_diagonal"},
                                              {"ms2", "ms4"},
                                              {"ms2", "ms_abs"},
                                              {"ms2", "ms_kmin"},
                                              {"qt2", "qt4"}};
inline constexpr int n_shared_pairs = static_cast<int>(std::size(shared_pairs));

/// Returns the index of a pair in shared_pairs, or -1.
constexpr int shared_pair(Observable first, Observable second) {
    for (int p = 0; p < n_shared_pairs; ++p)
        if (shared_pairs[p].first == first && shared_pairs[p].second == second) return p;
    return -1;
}

/// The observables whose means in the bins of the log2 test (equilibration.hpp) are stored and compared, if
/// is_binned.
inline constexpr Observable binned_observables[] = {"energy", "q2", "q_link", "m2"};
inline constexpr int n_binned_observables = static_cast<int>(std::size(binned_observables));

/// Names the squared order parameter, which is tested for equilibrium in addition to the energy: q^2, or m^2
/// in runs without overlaps. `square` sums q^2 or m^2, and `fourth` sums q^4 or m^4.
struct OrderParameter {
    Observable observable;
    Sum square, fourth;
};
constexpr OrderParameter order_parameter(const Measured& measured) {
    if (measured.overlaps) return {"q2", Sum::overlap2, Sum::overlap4};
    return {"m2", Sum::magnetisation2, Sum::magnetisation4};
}
/// Returns whether the means of `observable` in log2 bins are stored. m2 is stored only in runs without
/// overlaps.
constexpr bool is_binned(Observable observable, const Measured& measured) {
    return observable->of(measured) && (observable != "m2" || !measured.overlaps);
}

}  // namespace psflip
