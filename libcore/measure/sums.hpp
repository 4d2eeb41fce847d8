#pragma once

#include <utility>
#include <vector>

#include "measure/replicon.hpp"
#include "model/model.hpp"

namespace psflip {

class InputFile;

/// What a run measures; the table below says which sums that makes.
struct Measured {
    int dimension = 3;
    bool overlaps = true;        ///< of pairs of replicas
    bool magnetisation = false;  ///< of every replica
    bool field = false;          ///< the energy has a part that is not of the bonds
    bool equilibrium = true;    ///< false: a relaxation, without the sums that only equilibrium averages need
    bool absent_bonds = false;  ///< by law, so that energies per bond are not those per site
    int distances = 0;          ///< correlations of sites 1, ..., distances apart along the axes
    int waiting = 0;            ///< earlier times with whose spins the present ones are compared
    int components = 1;         ///< of a spin; 3: of vectors, whose energies are real numbers
    bool staggered = false;     ///< it is their staggered magnetisation that orders
    bool overlap_tensor = false;  ///< of vectors on random sites, of pairs of replicas
    bool real_couplings = false;  ///< of Ising spins, whose energies are real numbers then

    /// The histogram of links; the lowest energies, which in a field are not those of the bonds.
    bool link_histogram() const { return overlaps && equilibrium; }
    bool lowest_energies() const { return equilibrium && !field && !real_energies(); }
    constexpr bool vectors() const { return components > 1; }
    constexpr bool real_energies() const { return vectors() || real_couplings; }
    bool operator==(const Measured&) const = default;
};

/// Overlaps in glasses; magnetisations in ferromagnets, in fields, and where they are asked for.
Measured measured_of(const Model& model, bool magnetisation);

/// What a run or checkpoint file has of that which is asked for: magnetisations may be missing if the model
/// does not need them.
Measured measured_in(const InputFile& file, const Measured& asked);

/// What both of two runs of the same model measured.
Measured common(const Measured& a, const Measured& b);

/// What a run sums over its measurements. E is the energy of a lattice, M = sum_i s_i its magnetisation, Q =
/// sum_i s_i^a s_i^b the overlap of two replicas, m = M / N and q = Q / N. Of vector spins E is all of H, M
/// the vector sum_i S_i, whose square, length and product with the energy stand for those of a number, and
/// magnetisation its component z; M_s is the staggered one, the sites of even x + y + z less the others. A
/// new sum is a row of `sum_table` and its count in both backends of Measurement.
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
    overlap_tensor4
};
inline constexpr int n_sums = 44;

/// The axis of components: replicas, replica pairs (01, 02, ..., 12, ...), replicas with the numbers of
/// walkers in the place of the temperatures, or one for all replicas together, of which there must be
/// least_replicon_replicas. Distances 1, 2, ... for all pairs (or replicas) together; for each waiting time,
/// the replicas. Of vector spins for each replica the terms of the energy, sublattices x species x
/// components, or (moment, staggered magnetisation, sublattices) x components.
enum class Per { replica, walker, pair, realization, distance, waiting, term, part, direction };
inline constexpr int energy_terms = 4, magnetisation_parts = 12, directions = 12;

constexpr int components_of(Per per, int replicas, const Measured& measured = {}) {
    if (per == Per::distance) return measured.distances;
    if (per == Per::waiting) return measured.waiting * replicas;
    if (per == Per::term) return energy_terms * replicas;
    if (per == Per::part) return magnetisation_parts * replicas;
    if (per == Per::direction) return directions * replicas;
    if (per == Per::pair) return replicas * (replicas - 1) / 2;
    if (per == Per::realization) return replicas < least_replicon_replicas ? 0 : 1;
    return replicas;
}

/// The replicas of each pair: 01, 02, ..., 12, ...
inline std::vector<std::pair<int, int>> replica_pairs(int replicas) {
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < replicas; ++a)
        for (int b = a + 1; b < replicas; ++b) pairs.emplace_back(a, b);
    return pairs;
}

struct SumInfo {
    const char* name;  ///< of the dataset in /blocks
    const char* unit;
    const char* doc;  ///< ends the sentence "Sum over the measurements of each block of ..."
    Per per;
    bool integer;                 ///< int64, else float64
    bool (*of)(const Measured&);  ///< whether runs that measure this have it
    bool dense = false;           ///< run files hold 32 bits of it, see stored_sums.hpp
};

/// Whether it measures the replicon susceptibility with so many replicas.
constexpr bool measures_replicon(const Measured& measured, int replicas) {
    return measured.overlaps && measured.field && components_of(Per::realization, replicas) > 0;
}

/// Predicates of this and other tables: which runs have a row.
namespace runs_with {
constexpr bool anything(const Measured&) {
    return true;
}
constexpr bool absent_bonds(const Measured& m) {
    return m.absent_bonds;
}
constexpr bool overlaps(const Measured& m) {
    return m.overlaps;
}
constexpr bool overlaps_in_space(const Measured& m) {
    return m.overlaps && m.dimension == 3;
}
constexpr bool overlaps_in_equilibrium(const Measured& m) {
    return m.overlaps && m.equilibrium;
}
constexpr bool overlaps_without_field(const Measured& m) {
    return m.overlaps && !m.field;
}
constexpr bool overlaps_in_field(const Measured& m) {
    return m.overlaps && m.field;
}
constexpr bool magnetisations(const Measured& m) {
    return m.magnetisation;
}
constexpr bool magnetisations_in_space(const Measured& m) {
    return m.magnetisation && m.dimension == 3;
}
constexpr bool magnetisations_in_field(const Measured& m) {
    return m.magnetisation && m.field;
}
constexpr bool overlap_slopes(const Measured& m) {
    return m.overlaps && !m.field && m.equilibrium;
}
constexpr bool magnetisation_slopes(const Measured& m) {
    return m.magnetisation && !m.field && m.equilibrium;
}
constexpr bool overlap_distances(const Measured& m) {
    return m.overlaps && m.distances > 0;
}
constexpr bool spin_distances(const Measured& m) {
    return !m.overlaps && m.distances > 0;
}
constexpr bool waiting_times(const Measured& m) {
    return m.waiting > 0;
}
constexpr bool vectors(const Measured& m) {
    return m.vectors();
}
constexpr bool directions(const Measured& m) {
    return m.vectors() && m.equilibrium;
}
constexpr bool overlap_tensors(const Measured& m) {
    return m.vectors() && m.overlap_tensor && m.equilibrium;
}
}  // namespace runs_with

inline constexpr SumInfo sum_table[n_sums] = {
    {"energy", "J", "E, the energy", Per::replica, true, runs_with::anything},
    {"energy2", "J^2", "E^2, E the energy", Per::replica, false, runs_with::anything},
    {"walker_slot", "1", "the temperature slot where the walker is", Per::walker, true, runs_with::anything},
    {"overlap", "1", "Q = sum over sites of s^a s^b, the overlap of two replicas", Per::pair, true,
     runs_with::overlaps},
    {"overlap_abs", "1", "|Q|, Q the overlap", Per::pair, true, runs_with::overlaps},
    {"link", "1", "sum over bonds of s_i^a s_j^a s_i^b s_j^b", Per::pair, true, runs_with::overlaps},
    {"overlap2", "1", "(Q/N)^2, Q the overlap", Per::pair, false, runs_with::overlaps},
    {"overlap4", "1", "(Q/N)^4, Q the overlap", Per::pair, false, runs_with::overlaps},
    {"kmin_x", "1", "|sum_x Q(x) exp(2 pi i x / L)|^2 / N^2, Q(x) the overlap of the plane x", Per::pair,
     false, runs_with::overlaps, true},
    {"kmin_y", "1", "|sum_y Q(y) exp(2 pi i y / L)|^2 / N^2, Q(y) the overlap of the plane y", Per::pair,
     false, runs_with::overlaps, true},
    {"kmin_z", "1", "|sum_z Q(z) exp(2 pi i z / L)|^2 / N^2, Q(z) the overlap of the plane z", Per::pair,
     false, runs_with::overlaps_in_space, true},
    {"link2", "1", "link^2, link as in /blocks/link", Per::pair, false, runs_with::overlaps_in_equilibrium},
    {"overlap2_link", "1", "(Q/N)^2 link, link as in /blocks/link", Per::pair, false,
     runs_with::overlaps_in_equilibrium},
    {"magnetisation", "1", "M = sum over sites of s, the magnetisation", Per::replica, true,
     runs_with::magnetisations},
    {"magnetisation_abs", "1", "|M|, M the magnetisation", Per::replica, true, runs_with::magnetisations},
    {"magnetisation2", "1", "(M/N)^2, M the magnetisation", Per::replica, false, runs_with::magnetisations},
    {"magnetisation4", "1", "(M/N)^4, M the magnetisation", Per::replica, false, runs_with::magnetisations},
    {"magnetisation_kmin_x", "1",
     "|sum_x M(x) exp(2 pi i x / L)|^2 / N^2, M(x) the magnetisation of the plane x", Per::replica, false,
     runs_with::magnetisations, true},
    {"magnetisation_kmin_y", "1",
     "|sum_y M(y) exp(2 pi i y / L)|^2 / N^2, M(y) the magnetisation of the plane y", Per::replica, false,
     runs_with::magnetisations, true},
    {"magnetisation_kmin_z", "1",
     "|sum_z M(z) exp(2 pi i z / L)|^2 / N^2, M(z) the magnetisation of the plane z", Per::replica, false,
     runs_with::magnetisations_in_space, true},
    {"energy_magnetisation", "J", "E M, E the energy, M the magnetisation", Per::replica, false,
     runs_with::magnetisations_in_field},
    {"replicon", "1", "chi_R / N at k = 0, of replicas a, b, c, d: q_ab q_ab* - 2 q_ab q_ac* + q_ab q_cd*",
     Per::realization, false, runs_with::overlaps_in_field},
    {"replicon_kmin", "1", "the same of the modes q(k) at the smallest wave vectors, mean over the axes",
     Per::realization, false, runs_with::overlaps_in_field},
    {"replicon_diagonal", "1", "the same at the wave vectors (2 pi/L) (1, 1, 0), mean over the diagonals",
     Per::realization, false, runs_with::overlaps_in_field},
    {"overlap2_energy", "J", "(Q/N)^2 (E_a + E_b), E_a and E_b the energies of the two replicas", Per::pair,
     false, runs_with::overlap_slopes, true},
    {"overlap4_energy", "J", "(Q/N)^4 (E_a + E_b), as in /blocks/overlap2_energy", Per::pair, false,
     runs_with::overlap_slopes, true},
    {"kmin_energy", "J", "(E_a + E_b) times what is summed in /blocks/kmin", Per::pair, false,
     runs_with::overlap_slopes, true},
    {"magnetisation2_energy", "J", "(M/N)^2 E, E the energy, M the magnetisation", Per::replica, false,
     runs_with::magnetisation_slopes, true},
    {"magnetisation4_energy", "J", "(M/N)^4 E, E the energy, M the magnetisation", Per::replica, false,
     runs_with::magnetisation_slopes, true},
    {"magnetisation_kmin_energy", "J", "E times what is summed in /blocks/magnetisation_kmin", Per::replica,
     false, runs_with::magnetisation_slopes, true},
    {"correlation4", "1",
     "q_i q_j over all sites i, the sites j that are a distance away from them along the axes, and all pairs "
     "of "
     "replicas, q_i = s_i^a s_i^b",
     Per::distance, true, runs_with::overlap_distances},
    {"correlation2", "1",
     "s_i s_j over all sites i, the sites j that are a distance away from them along the axes, and all "
     "replicas",
     Per::distance, true, runs_with::spin_distances},
    {"two_time_overlap", "1", "sum over sites of s_i(t_w) s_i, 0 up to t_w", Per::waiting, true,
     runs_with::waiting_times},
    {"two_time_link", "1", "sum over bonds of s_i(t_w) s_j(t_w) s_i s_j, 0 up to t_w", Per::waiting, true,
     runs_with::waiting_times},
    {"energy_terms", "J",
     "the terms of the energy, one after the other of each replica: exchange, Dzyaloshinskii-Moriya, "
     "anisotropy, field",
     Per::term, false, runs_with::vectors},
    {"staggered_abs", "1", "|M_s|, M_s = sum over sites of (-1)^(x+y+z) S, the staggered magnetisation",
     Per::replica, false, runs_with::vectors},
    {"staggered2", "1", "(M_s/N)^2, M_s the staggered magnetisation", Per::replica, false,
     runs_with::vectors},
    {"staggered4", "1", "(M_s/N)^4, M_s the staggered magnetisation", Per::replica, false,
     runs_with::vectors},
    {"staggered_kmin", "1",
     "sum over the axes of |sum_x M_s(x) exp(2 pi i x / L)|^2 / N^2, M_s(x) the staggered magnetisation of "
     "the plane x",
     Per::replica, false, runs_with::vectors},
    {"magnetisation_parts", "1",
     "sum over sites of S, of each replica by sublattice (x + y + z even, odd), species (a, b) and component",
     Per::part, false, runs_with::vectors},
    {"directions", "1",
     "the components x, y and z, divided by N, of sum over sites of m S with the moments m of the species, "
     "of "
     "the staggered magnetisation, and of sum over sites of S of either sublattice (x + y + z even, odd), "
     "one "
     "after the other of each replica",
     Per::direction, false, runs_with::directions},
    {"directions2", "1", "the squares of what is summed in /blocks/directions", Per::direction, false,
     runs_with::directions},
    {"overlap_tensor2", "1",
     "q^2 = sum over m and n of Q_mn^2, Q_mn = sum over sites of S_m^a S_n^b / N the overlap tensor of two "
     "replicas",
     Per::pair, false, runs_with::overlap_tensors},
    {"overlap_tensor4", "1", "q^4, the square of what is summed in /blocks/overlap_tensor2", Per::pair, false,
     runs_with::overlap_tensors},
};

constexpr const SumInfo& info(Sum sum) {
    return sum_table[static_cast<int>(sum)];
}

/// Whether it is summed as an integer: of vector spins only slots of walkers are, and energies only where
/// couplings are.
constexpr bool is_integer(Sum sum, const Measured& measured) {
    if (measured.real_energies() && sum == Sum::energy) return false;
    return info(sum).integer && (!measured.vectors() || sum == Sum::walker_slot);
}

/// Sums of x, y and z, one after the other in the table, which run files hold added up (stored_sums.hpp).
struct AxesSum {
    Sum first;
    const char *name, *doc;  ///< of the dataset in /blocks
};
inline constexpr AxesSum axes_sums[] = {
    {Sum::kmin_x, "kmin",
     "sum over the axes of |sum_x Q(x) exp(2 pi i x / L)|^2 / N^2, Q(x) the overlap of the plane x"},
    {Sum::magnetisation_kmin_x, "magnetisation_kmin",
     "sum over the axes of |sum_x M(x) exp(2 pi i x / L)|^2 / N^2, M(x) the magnetisation of the plane x"}};

constexpr Sum last_axis(const AxesSum& axes) {
    return static_cast<Sum>(static_cast<int>(axes.first) + 2);
}

}  // namespace psflip
