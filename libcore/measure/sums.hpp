// Holds the table of the sums that runs add up over their measurements: name, unit, formula, components and
// bounds. Run files, checkpoints, audit and statistics take these from it.
#pragma once

#include <utility>
#include <vector>

#include "base/enum_table.hpp"
#include "measure/measured.hpp"
#include "measure/replicon.hpp"

namespace psflip {

/// Names the sums. For Ising spins, E = -sum J_ij s_i s_j is the energy of the bonds, without the term -h M
/// of a field. M = sum_i s_i is the magnetisation, and Q = sum_i s_i^a s_i^b the overlap of two replicas. Per
/// site, m = M / N and q = Q / N. For vector spins, E is all of H, M is the vector sum_i S_i, and
/// `magnetisation` is the z component of M. The staggered M_s adds the sites of even x + y + z and subtracts
/// the others. To add a sum, add an enumerator and, at the same position in the order, a row of `sum_table`.
/// Then compute the sum in every backend.
enum class Sum {
    energy,
    energy2,
    walker_slot,
    overlap,
    overlap_abs,
    link,
    overlap2,
    overlap4,
    kmin_x,
    kmin_y,
    kmin_z,
    link2,
    overlap2_link,
    magnetisation,
    magnetisation_abs,
    magnetisation2,
    magnetisation4,
    magnetisation_kmin_x,
    magnetisation_kmin_y,
    magnetisation_kmin_z,
    energy_magnetisation,
    replicon,
    replicon_kmin,
    replicon_diagonal,
    overlap2_energy,
    overlap4_energy,
    kmin_energy,
    magnetisation2_energy,
    magnetisation4_energy,
    magnetisation_kmin_energy,
    magnetisation2_improved,
    magnetisation_kmin_improved,
    correlation4,
    correlation2,
    two_time_overlap,
    two_time_link,
    energy_terms,
    staggered_abs,
    staggered2,
    staggered4,
    staggered_kmin,
    magnetisation_parts,
    directions,
    directions2,
    overlap_tensor2,
    overlap_tensor4,
    end  ///< not a sum
};
inline constexpr int n_sums = static_cast<int>(Sum::end);

/// Says what the components of a sum are:
///   replica      one for each replica
///   walker       one for each replica; the index of the walker replaces the slot
///   pair         one for each pair of replicas: 01, 02, ..., 12, ...
///   realization  one for all replicas together; none with fewer than min_replicon_replicas replicas
///   distance     one for each distance 1, 2, ..., for all pairs or replicas together
///   waiting      (waiting time, replica)
///   term         (replica, term of the energy), of vector spins
///   part         (replica, sublattice, species, component), of vector spins
///   direction    (replica, vector, component), of vector spins. The four vectors are the moment, the
///                staggered magnetisation, and the magnetisations of the even and of the odd sublattice.
enum class Per { replica, walker, pair, realization, distance, waiting, term, part, direction };
inline constexpr int energy_terms = 4, magnetisation_parts = 12, directions = 12;
/// Indices of the component x of each vector in Per::direction. The components y and z follow.
inline constexpr int moment_direction = 0, staggered_direction = 3, even_direction = 6, odd_direction = 9;

/// Returns the number of components of a sum for each replica or pair.
constexpr int parts_of(Per per) {
    if (per == Per::term) return energy_terms;
    if (per == Per::part) return magnetisation_parts;
    return per == Per::direction ? directions : 1;
}

/// Returns the number of components of a sum in a run with this number of replicas.
constexpr int components_of(Per per, int replicas, const Measured& measured = {}) {
    if (per == Per::distance) return measured.distances;
    if (per == Per::waiting) return measured.waiting * replicas;
    if (per == Per::pair) return replicas * (replicas - 1) / 2;
    if (per == Per::realization) return replicas < min_replicon_replicas ? 0 : 1;
    return parts_of(per) * replicas;
}

/// Returns the two replicas of each pair, in the order 01, 02, ..., 12, ...
inline std::vector<std::pair<int, int>> replica_pairs(int replicas) {
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < replicas; ++a)
        for (int b = a + 1; b < replicas; ++b) pairs.emplace_back(a, b);
    return pairs;
}

/// Names the divisor that makes a sum intensive. Sums at the smallest wave vector are divided by the number
/// of axes, because run files hold their sum over the axes.
enum class Divisor { one, sites, sites_squared, bonds, bonds_squared, axes };

/// Names the unit of the bounds of a value. `energy` is the largest energy of a lattice, `energy_sites` this
/// energy times the number of sites, and `slots` the index of the hottest slot.
enum class Scale { one, sites, bonds, bonds_squared, energy, energy_squared, energy_sites, slots, anything };

/// Describes the numbers that a sum adds up: type, divisor, and bounds in units of the scale.
struct SumValues {
    bool integer;  ///< int64; otherwise float64
    Divisor divisor;
    double low, high;
    Scale scale;
    bool dense = false;  ///< run files keep 32 significant bits, see stored_sums.hpp
};
namespace values {
inline constexpr SumValues signed_count = {true, Divisor::sites, -1.0, 1.0, Scale::sites},
                           count = {true, Divisor::sites, 0.0, 1.0, Scale::sites},
                           link_count = {true, Divisor::bonds, -1.0, 1.0, Scale::bonds},
                           link_square = {false, Divisor::bonds_squared, 0.0, 1.0, Scale::bonds_squared},
                           part_of_links = {false, Divisor::bonds, -1.0, 1.0, Scale::bonds},
                           whole_energy = {true, Divisor::sites, -1.0, 1.0, Scale::energy},
                           energy_square = {false, Divisor::sites_squared, 0.0, 1.0, Scale::energy_squared},
                           energy_term = {false, Divisor::sites, -1.0, 1.0, Scale::energy},
                           times_energy = {false, Divisor::one, -1.0, 1.0, Scale::energy, true},
                           times_energies = {false, Divisor::one, -2.0, 2.0, Scale::energy, true},
                           mode_times_energy = {false, Divisor::axes, -3.0, 3.0, Scale::energy, true},
                           mode_times_energies = {false, Divisor::axes, -6.0, 6.0, Scale::energy, true},
                           energy_sites = {false, Divisor::one, -1.0, 1.0, Scale::energy_sites},
                           slot_number = {true, Divisor::one, 0.0, 1.0, Scale::slots},
                           square = {false, Divisor::one, 0.0, 1.0, Scale::one},
                           mode = {false, Divisor::axes, 0.0, 1.0, Scale::one, true},
                           modes = {false, Divisor::axes, 0.0, 3.0, Scale::one},
                           length = {false, Divisor::sites, 0.0, 1.0, Scale::sites},
                           components = {false, Divisor::sites, -1.0, 1.0, Scale::sites},
                           sign_product = {true, Divisor::one, -1.0, 1.0, Scale::sites},
                           replicon_estimate = {false, Divisor::one, -3.0, 4.0, Scale::one},
                           anything = {false, Divisor::one, -1.0, 1.0, Scale::anything},
                           anything_square = {false, Divisor::one, 0.0, 1.0, Scale::anything};
}  // namespace values

/// Says which symbol needs an explanation in the `doc` of a dataset: E in a field, or M of vector spins.
enum class Explains { nothing, energy, magnetisation };

/// Describes a sum: a row of sum_table.
struct SumInfo {
    Sum sum;
    const char* name;  ///< name of the dataset in /blocks
    const char* unit;
    const char* doc;  ///< ends the sentence "Sum, over the measurements of each block, of ..."
    Per per;
    SumValues values;
    bool (*of)(const Measured&);  ///< returns whether a run with this Measured has the sum
    Explains explains = Explains::nothing;
    const char* of_axes = nullptr;  ///< dataset of run files that holds this sum, added over all axes;
                                    ///< nullptr: the dataset has the name of this sum
    int axis = 0;
};

/// Returns whether a run with this number of replicas measures the replicon susceptibility.
constexpr bool measures_replicon(const Measured& measured, int replicas) {
    return measured.overlaps && measured.field && components_of(Per::realization, replicas) > 0;
}

inline constexpr SumInfo sum_table[] = {
    {Sum::energy, "energy", "J", "E, the energy", Per::replica, values::whole_energy, runs_with::anything,
     Explains::energy},
    {Sum::energy2, "energy2", "J^2", "E^2, E the energy", Per::replica, values::energy_square,
     runs_with::anything, Explains::energy},
    {Sum::walker_slot, "walker_slot", "1", "the temperature slot where the walker is", Per::walker,
     values::slot_number, runs_with::anything},
    {Sum::overlap, "overlap", "1", "Q = sum over sites of s^a s^b, the overlap of two replicas", Per::pair,
     values::signed_count, runs_with::overlaps},
    {Sum::overlap_abs, "overlap_abs", "1", "|Q|, Q the overlap", Per::pair, values::count,
     runs_with::overlaps},
    {Sum::link, "link", "1", "sum over bonds of s_i^a s_j^a s_i^b s_j^b", Per::pair, values::link_count,
     runs_with::overlaps},
    {Sum::overlap2, "overlap2", "1", "(Q/N)^2, Q the overlap", Per::pair, values::square,
     runs_with::overlaps},
    {Sum::overlap4, "overlap4", "1", "(Q/N)^4, Q the overlap", Per::pair, values::square,
     runs_with::overlaps},
    {Sum::kmin_x, "kmin_x", "1", "|sum_x Q(x) exp(2 pi i x / L)|^2 / N^2, Q(x) the overlap of the plane x",
     Per::pair, values::mode, runs_with::overlaps, Explains::nothing, "kmin", 0},
    {Sum::kmin_y, "kmin_y", "1", "|sum_y Q(y) exp(2 pi i y / L)|^2 / N^2, Q(y) the overlap of the plane y",
     Per::pair, values::mode, runs_with::overlaps, Explains::nothing, "kmin", 1},
    {Sum::kmin_z, "kmin_z", "1", "|sum_z Q(z) exp(2 pi i z / L)|^2 / N^2, Q(z) the overlap of the plane z",
     Per::pair, values::mode, runs_with::overlaps_in_space, Explains::nothing, "kmin", 2},
    {Sum::link2, "link2", "1", "link^2, link as in /blocks/link", Per::pair, values::link_square,
     runs_with::overlaps_in_equilibrium},
    {Sum::overlap2_link, "overlap2_link", "1", "(Q/N)^2 link, link as in /blocks/link", Per::pair,
     values::part_of_links, runs_with::overlaps_in_equilibrium},
    {Sum::magnetisation, "magnetisation", "1", "M = sum over sites of s, the magnetisation", Per::replica,
     values::signed_count, runs_with::magnetisations, Explains::magnetisation},
    {Sum::magnetisation_abs, "magnetisation_abs", "1", "|M|, M the magnetisation", Per::replica,
     values::count, runs_with::magnetisations, Explains::magnetisation},
    {Sum::magnetisation2, "magnetisation2", "1", "(M/N)^2, M the magnetisation", Per::replica, values::square,
     runs_with::magnetisations, Explains::magnetisation},
    {Sum::magnetisation4, "magnetisation4", "1", "(M/N)^4, M the magnetisation", Per::replica, values::square,
     runs_with::magnetisations, Explains::magnetisation},
    {Sum::magnetisation_kmin_x, "magnetisation_kmin_x", "1",
     "|sum_x M(x) exp(2 pi i x / L)|^2 / N^2, M(x) the magnetisation of the plane x", Per::replica,
     values::mode, runs_with::magnetisations, Explains::magnetisation, "magnetisation_kmin", 0},
    {Sum::magnetisation_kmin_y, "magnetisation_kmin_y", "1",
     "|sum_y M(y) exp(2 pi i y / L)|^2 / N^2, M(y) the magnetisation of the plane y", Per::replica,
     values::mode, runs_with::magnetisations, Explains::magnetisation, "magnetisation_kmin", 1},
    {Sum::magnetisation_kmin_z, "magnetisation_kmin_z", "1",
     "|sum_z M(z) exp(2 pi i z / L)|^2 / N^2, M(z) the magnetisation of the plane z", Per::replica,
     values::mode, runs_with::magnetisations_in_space, Explains::magnetisation, "magnetisation_kmin", 2},
    {Sum::energy_magnetisation, "energy_magnetisation", "J", "E M, E the energy, M the magnetisation",
     Per::replica, values::energy_sites, runs_with::magnetisations_in_field, Explains::energy},
    {Sum::replicon, "replicon", "1",
     "chi_R / N at k = 0: q_ab q_ab* - 2 q_ab q_ac* + q_ab q_cd* of replicas a, b, c, d", Per::realization,
     values::replicon_estimate, runs_with::overlaps_in_field},
    {Sum::replicon_kmin, "replicon_kmin", "1",
     "chi_R / N at the smallest wave vectors as in /blocks/replicon, mean over the axes", Per::realization,
     values::replicon_estimate, runs_with::overlaps_in_field},
    {Sum::replicon_diagonal, "replicon_diagonal", "1",
     "chi_R / N at (2 pi/L) (1, 1, 0) as in /blocks/replicon, mean over the diagonals", Per::realization,
     values::replicon_estimate, runs_with::overlaps_in_field},
    {Sum::overlap2_energy, "overlap2_energy", "J",
     "(Q/N)^2 (E_a + E_b), E_a and E_b the energies of the two replicas", Per::pair, values::times_energies,
     runs_with::overlap_slopes},
    {Sum::overlap4_energy, "overlap4_energy", "J", "(Q/N)^4 (E_a + E_b), as in /blocks/overlap2_energy",
     Per::pair, values::times_energies, runs_with::overlap_slopes},
    {Sum::kmin_energy, "kmin_energy", "J", "(E_a + E_b) times the summand of /blocks/kmin", Per::pair,
     values::mode_times_energies, runs_with::overlap_slopes},
    {Sum::magnetisation2_energy, "magnetisation2_energy", "J", "(M/N)^2 E, E the energy, M the magnetisation",
     Per::replica, values::times_energy, runs_with::magnetisation_slopes},
    {Sum::magnetisation4_energy, "magnetisation4_energy", "J", "(M/N)^4 E, E the energy, M the magnetisation",
     Per::replica, values::times_energy, runs_with::magnetisation_slopes},
    {Sum::magnetisation_kmin_energy, "magnetisation_kmin_energy", "J",
     "E times the summand of /blocks/magnetisation_kmin", Per::replica, values::mode_times_energy,
     runs_with::magnetisation_slopes},
    {Sum::magnetisation2_improved, "magnetisation2_improved", "1",
     "sum over clusters of |C|^2 / N^2, C a cluster of the last sweep, before the exchange", Per::replica,
     values::square, runs_with::clusters},
    {Sum::magnetisation_kmin_improved, "magnetisation_kmin_improved", "1",
     "sum over axes and clusters of |sum over C of exp(2 pi i x / L)|^2 / N^2, C as in "
     "/blocks/magnetisation2_improved",
     Per::replica, values::modes, runs_with::clusters},
    {Sum::correlation4, "correlation4", "1",
     "q_i q_j, q_i = s_i^a s_i^b, over all sites i, the sites j at this distance along an axis, and all "
     "pairs of replicas",
     Per::distance, values::sign_product, runs_with::overlap_distances},
    {Sum::correlation2, "correlation2", "1",
     "s_i s_j over all sites i, the sites j at this distance along an axis, and all replicas", Per::distance,
     values::sign_product, runs_with::spin_distances},
    {Sum::two_time_overlap, "two_time_overlap", "1",
     "sum over sites of s_i(t_w) s_i at times after t_w; stored as 0 at t_w and before", Per::waiting,
     values::sign_product, runs_with::waiting_times},
    {Sum::two_time_link, "two_time_link", "1",
     "sum over bonds of s_i(t_w) s_j(t_w) s_i s_j at times after t_w; stored as 0 at t_w and before",
     Per::waiting, values::sign_product, runs_with::waiting_times},
    {Sum::energy_terms, "energy_terms", "J",
     "the energy terms of each replica in turn: exchange, Dzyaloshinskii-Moriya, anisotropy, field",
     Per::term, values::energy_term, runs_with::vectors},
    {Sum::staggered_abs, "staggered_abs", "1",
     "|M_s|, M_s = sum over sites of (-1)^(x+y+z) S, the staggered magnetisation", Per::replica,
     values::length, runs_with::vectors},
    {Sum::staggered2, "staggered2", "1", "(M_s/N)^2, M_s the staggered magnetisation", Per::replica,
     values::square, runs_with::vectors},
    {Sum::staggered4, "staggered4", "1", "(M_s/N)^4, M_s the staggered magnetisation", Per::replica,
     values::square, runs_with::vectors},
    {Sum::staggered_kmin, "staggered_kmin", "1",
     "sum over the axes of |sum_x M_s(x) exp(2 pi i x / L)|^2 / N^2, M_s(x) the staggered magnetisation of "
     "the plane x",
     Per::replica, values::modes, runs_with::vectors},
    {Sum::magnetisation_parts, "magnetisation_parts", "1",
     "sum of S over sites, for each replica by sublattice (x + y + z even, odd), species (a, b), component",
     Per::part, values::components, runs_with::vectors},
    {Sum::directions, "directions", "1",
     "the x, y and z components, divided by N, of four vectors for each replica in turn: sum of m_i S_i, m_i "
     "the moment of site i; the staggered magnetisation; sum of S over even and over odd x + y + z",
     Per::direction, values::anything, runs_with::directions},
    {Sum::directions2, "directions2", "1", "the squares of the summands of /blocks/directions",
     Per::direction, values::anything_square, runs_with::directions},
    {Sum::overlap_tensor2, "overlap_tensor2", "1",
     "q^2 = sum over m and n of Q_mn^2, Q_mn = sum over sites of S_m^a S_n^b / N the overlap tensor of two "
     "replicas",
     Per::pair, values::square, runs_with::overlap_tensors},
    {Sum::overlap_tensor4, "overlap_tensor4", "1",
     "q^4, the square of the summand of /blocks/overlap_tensor2", Per::pair, values::square,
     runs_with::overlap_tensors},
};
static_assert(is_table_of(sum_table, &SumInfo::sum, Sum::end));

/// Returns the row of a sum.
constexpr const SumInfo& info(Sum sum) {
    return sum_table[static_cast<int>(sum)];
}

/// Returns whether a sum is an integer. For vector spins, only walker_slot is an integer. Energies are
/// integers only if the couplings are.
constexpr bool is_integer(Sum sum, const Measured& measured) {
    if (measured.real_energies() && sum == Sum::energy) return false;
    return info(sum).values.integer && (!measured.vectors() || sum == Sum::walker_slot);
}

/// Names the sums of the overlap of a pair or the magnetisation of a replica, and their products with an
/// energy.
struct MomentSums {
    Sum value, abs, square, fourth, kmin_x, kmin_y, kmin_z, square_energy, fourth_energy, kmin_energy;

    constexpr Sum kmin(int axis) const { return axis == 0 ? kmin_x : axis == 1 ? kmin_y : kmin_z; }
};
inline constexpr MomentSums overlap_sums = {
    Sum::overlap, Sum::overlap_abs, Sum::overlap2,        Sum::overlap4,        Sum::kmin_x,
    Sum::kmin_y,  Sum::kmin_z,      Sum::overlap2_energy, Sum::overlap4_energy, Sum::kmin_energy};
inline constexpr MomentSums magnetisation_sums = {Sum::magnetisation,         Sum::magnetisation_abs,
                                                  Sum::magnetisation2,        Sum::magnetisation4,
                                                  Sum::magnetisation_kmin_x,  Sum::magnetisation_kmin_y,
                                                  Sum::magnetisation_kmin_z,  Sum::magnetisation2_energy,
                                                  Sum::magnetisation4_energy, Sum::magnetisation_kmin_energy};

/// Returns the sum of the replicon susceptibility: at k = 0 (number 0), at the smallest wave vectors (1), or
/// at the diagonal wave vectors (2).
constexpr Sum replicon_sum(int number) {
    return number == 0 ? Sum::replicon : number == 1 ? Sum::replicon_kmin : Sum::replicon_diagonal;
}

}  // namespace psflip
