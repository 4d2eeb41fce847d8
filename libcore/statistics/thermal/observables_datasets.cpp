// Describes the datasets of observables files.
#include "io/schema.hpp"
#include "statistics/file_datasets.hpp"
#include "statistics/observables.hpp"

namespace psflip {
namespace {

constexpr DatasetRow observables_rows[] = {
    {schema::temperatures, "J / k_B", "Temperatures, ascending.", "temperature"},
    {schema::realization, "1", "Global numbers of the realizations.", "realization"},
    {schema::bonds, "1", "Present bonds; missing if all realizations have all bonds.", "realization"},
    {schema::tau_blocks, "1", "Number of blocks behind errors and autocorrelation times.",
     "temperature, realization"},
    {schema::tau_too_short, "1",
     "1 if the run is too short for its errors, which are then too small; otherwise 0.",
     "temperature, realization"},
    {schema::tau_walk, "sweeps", "Autocorrelation time of the walk of lattices through the temperatures.",
     "realization"},
    {schema::equilibrated, "1", "The verdict: 1 for equilibrated, otherwise 0.", "realization"},
    {schema::moved, "1", "0 if no energy changed and no exchange was accepted, otherwise 1.", "realization"},
    {schema::max_deviation, "sigma",
     "The largest absolute value of the datasets sigma_energy, sigma_q2 or sigma_m2.", "realization"},
    {schema::worst_temperature, "1",
     "Slot of the temperature with max_deviation; -1 if nothing could be tested.", "realization"},
    {schema::hottest_memory_sweeps, "sweeps",
     "Sweeps t of the hottest temperature alone, without exchange, after the end of the run.", "time"},
    {schema::hottest_memory_correlation, "1",
     "S(t)/N, S(t) = sum over sites of s(0) s(t) at the hottest temperature, mean over replicas. A "
     "ferromagnet with one temperature begins with all s(0) = 1.",
     "time, realization"},
    {schema::hottest_memory_square, "1", "(S(t)/N)^2, S(t) as in hottest_correlation, mean over replicas.",
     "time, realization"},
    {schema::hottest_memory_time, "sweeps",
     "Relaxation time of the hottest temperature without exchange; infinite if it is beyond the last time.",
     "realization"},
    {"/log2/edges", "sweeps", "Edges of the log2 bins, in sweeps since the end of thermalization.", "edge"},
    {"/log2/count", "1", "Number of measurements in each log2 bin.", "log2 bin"},
    {schema::histogram_overlap, "1",
     "Number of measurements of all pairs of replicas with the overlap q in each of equal bins from -1 to 1.",
     "temperature, bin, realization"},
    {schema::histogram_link, "1",
     "Number of measurements of all pairs of replicas with the link overlap in each of equal bins from -1 to "
     "1.",
     "temperature, bin, realization"},
    {schema::lowest_energy, "J", "Lowest energy at the coldest temperature.", "realization"},
    {schema::lowest_count, "1", "Number of measurements with the lowest energy.", "realization"},
    {schema::lowest_first_half, "J", "Lowest energy at the coldest temperature in the first half of the run.",
     "realization"},
    {schema::swap_rate, "1",
     "Accepted over attempted exchanges of neighbouring temperatures, over all replicas.",
     "temperature pair, realization"},
    {schema::tempering_round_trips, "1",
     "Trips of walkers from the coldest to the hottest temperature and back, of all replicas.",
     "realization"},
    {schema::houdayer_moves, "1", "Houdayer moves of pairs of replicas.", "temperature, realization"},
    {schema::houdayer_clusters, "1",
     "Clusters that these moves exchanged: the pair differed at the first site.", "temperature, realization"},
    {schema::houdayer_sites, "1", "Sites of these clusters.", "temperature, realization"},
    {schema::tempering_sweeps, "sweeps", "Sweeps of the run.", "value"},
};

constexpr DatasetRule pair_rules[] = {
    {"/shared/", "", "1",
     "What sharing random numbers adds to the covariance of the sums of {doc} over a pack.",
     "temperature, pack"},
    {"/covariance/", "", "1", "Covariance of {doc}, from blocks.", "temperature, realization"},
};

constexpr DatasetRule observables_rules[] = {
    {"/mean/", "", "{unit}", "Mean over the sweeps that run.discard leaves: {doc}.",
     "temperature, realization"},
    {"/error/", "", "{unit}", "Standard error of mean/{name}, from blocks, times Student's factor.",
     "temperature, realization"},
    {"/shared/", "", "{square}",
     "What sharing random numbers adds to the variance of the sum of mean/{name} over a pack.",
     "temperature, pack"},
    {"/tau/", "", "sweeps", "Integrated autocorrelation time of {name}.", "temperature, realization"},
    {"/equilibration/sigma_", "", "sigma",
     "Deviation of {name} in the last log2 bin from its values in the two bins before.",
     "comparison, temperature, realization"},
    {"/equilibration/dof_", "", "1", "Degrees of freedom of the error behind sigma_{name}.",
     "temperature, realization"},
    {"/log2/", "", "{unit}", "Mean over each log2 bin of the run: {doc}.",
     "log2 bin, temperature, realization"},
    {"/log2/pack_noise_", "", "{square}",
     "Thermal variance of the sum of {name} over a pack, of a mean over n measurements, times n.",
     "temperature, pack"},
    {"/log2/pack_excess_", "", "{square}", "What sharing random numbers adds to pack_noise_{name}.",
     "temperature, pack"},
};

}  // namespace

DatasetInfo observables_dataset(const std::string& name) {
    if (auto row = find_row(observables_rows, name)) return *std::move(row);
    for (const SharedPair& pair : shared_pairs) {
        const std::string means = std::string("mean/") + pair.first->name + " and mean/" + pair.second->name;
        if (auto found = find_by_rules(pair_rules, pair.name(), "1", means, name)) return *std::move(found);
    }
    for (const ObservableInfo& row : observable_table)
        if (auto found = find_by_rules(observables_rules, row.name, row.unit, row.doc, name))
            return *std::move(found);
    throw_unknown_dataset(name);
}

}  // namespace psflip
