#include "run/run_file.hpp"

#include <fmt/format.h>

#include <iterator>

namespace psflip {
namespace {

constexpr DatasetRow run_rows[] = {
    {schema::spins, "1", "Spins as bits: bit b of pack64 p is realization 64 p + b, 1 is spin up.",
     "replica, temperature, pack64, z, y, x"},
    {schema::sweep, "sweeps", "Completed sweeps since the random start.", "value"},
    {schema::run_start, "sweeps", "Sweep at which the run began, -1 while thermalizing.", "value"},
    {schema::tempering_walker, "1", "Number of the walker at each temperature.",
     "realization, replica, temperature"},
    {schema::tempering_last_end, "1",
     "State of each walker: 0 was never at the coldest temperature, 1 was last at the coldest, 2 then "
     "reached the hottest.",
     "realization, replica, walker"},
    {schema::tempering_accepted, "1",
     "Accepted exchanges of neighbouring temperatures: in a run file during its sweeps, otherwise from the "
     "start.",
     "realization, replica, temperature pair"},
    {schema::tempering_attempted, "1",
     "Attempted exchanges of neighbouring temperatures of each replica, over the sweeps of `accepted`.",
     "temperature pair"},
    {schema::tempering_round_trips, "1",
     "Trips of walkers from the coldest to the hottest temperature and back, over the sweeps of `accepted`.",
     "realization, replica"},
    {schema::houdayer_moves, "1",
     "Houdayer moves of pairs of replicas of each realization, over the sweeps of `accepted`.",
     "temperature"},
    {schema::houdayer_clusters, "1",
     "Clusters that these moves exchanged: the pair differed at the first site.", "realization, temperature"},
    {schema::houdayer_sites, "1", "Sites of these clusters.", "realization, temperature"},
    {"/blocks/edges", "sweeps", "Edges of the blocks, in sweeps since the end of thermalization.", "edge"},
    {"/blocks/count", "1", "Number of measurements in each block.", "block"},
    {schema::temperatures, "J / k_B", "Temperatures, ascending.", "temperature"},
    {schema::histogram_overlap, "1",
     "Number of measurements of all pairs of replicas with q = Q/N in each of equal bins from -1 to 1.",
     "temperature, bin, realization"},
    {schema::histogram_link, "1",
     "Number of measurements of all pairs of replicas with q_link = link/(3N) in each of equal bins from -1 "
     "to 1.",
     "temperature, bin, realization"},
    {schema::lowest_energy, "J",
     "Lowest energy at the coldest temperature in each block; 3N without a measurement.",
     "block, replica, realization"},
    {schema::lowest_count, "1", "Number of measurements in each block with the lowest energy of the block.",
     "block, replica, realization"},
    {schema::snapshots_spins, "1", "Spins at the sweeps of snapshots, bits as in state files.",
     "snapshot, replica, temperature, pack64, z, y, x"},
    {schema::snapshots_sweep, "sweeps", "Sweeps since the end of thermalization.", "snapshot"},
    {schema::hottest_sweeps, "sweeps",
     "Sweeps t of the hottest temperature alone, without exchange, after the end of the run.", "time"},
    {schema::hottest_correlation, "1",
     "S(t) = sum over sites of s(0) s(t) at the hottest temperature. A ferromagnet with one temperature "
     "begins with all s(0) = 1.",
     "time, replica, realization"},
};

/// Of vector spins.
constexpr DatasetRow vector_rows[] = {
    {schema::spins, "1", "Spins S, unit vectors.", "replica, temperature, realization, component, z, y, x"},
    {schema::snapshots_spins, "1", "Spins S, unit vectors, at the sweeps of snapshots.",
     "snapshot, replica, temperature, realization, component, z, y, x"},
    {schema::moves_width, "1",
     "Width of the cone of proposals, 1 - cosine of its opening angle; 2: any direction.",
     "realization, replica, temperature"},
    {schema::moves_renewed, "1", "Proposals accepted since the widths were tuned last.",
     "realization, replica, temperature"},
    {schema::moves_acceptance, "1", "Fraction of the proposals of this run that were accepted.",
     "realization, replica, temperature"},
};
constexpr const char* of_vectors =
    " M = sum over sites of S is a vector: M^2 is M.M, |M| its length, and the dataset magnetisation has its "
    "component z.";

/// The axes between block and realization, by Per.
constexpr const char* inner_axes[] = {"replica, temperature",
                                      "replica, walker",
                                      "replica pair, temperature",
                                      "all replicas, temperature",
                                      "distance, temperature",
                                      "waiting time and replica, temperature",
                                      "replica and term, temperature",
                                      "replica and sublattice and species and component, temperature",
                                      "replica and moment, staggered, even, odd and component, temperature"};
static_assert(std::size(inner_axes) == static_cast<std::size_t>(Per::direction) + 1);

std::string axes_of(Per per) {
    return fmt::format("block, {}, realization", inner_axes[static_cast<int>(per)]);
}

/// Explains E if the energy has a part besides the bonds.
constexpr const char* bonds_energy =
    " E = -sum over bonds of J s_i s_j is the energy of the bonds. In the field h, the energy of the lattice "
    "is E - h M.";

}  // namespace

DatasetInfo run_dataset(const std::string& name, int dimension, bool field, bool vectors) {
    if (auto row = find_row(vector_rows, name); vectors && row)
        return in_dimensions(*std::move(row), dimension);
    constexpr const char* sum_of = "Sum, over the measurements of each block, of ";
    for (const SumInfo& row : sum_table) {
        if (name == sum_dataset(row.sum))
            return {row.unit,
                    std::string(sum_of) + row.doc + "." +
                        (field && row.explains == Explains::energy ? bonds_energy : "") +
                        (vectors && row.explains == Explains::magnetisation ? of_vectors : ""),
                    axes_of(row.per)};
        if (name == stored_name(row.sum))
            return {row.unit, std::string(sum_of) + "sum over the axes of " + row.doc + ".",
                    axes_of(row.per)};
    }
    return in_dimensions(row_named(run_rows, name), dimension);
}

DatasetTable run_datasets(int dimension, bool field, bool vectors) {
    return [=](const std::string& name) { return run_dataset(name, dimension, field, vectors); };
}

}  // namespace psflip
