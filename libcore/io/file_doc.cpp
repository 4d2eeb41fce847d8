#include "io/file_doc.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace psflip {
namespace {

struct Text {
    const char *name, *text;
};

constexpr Text kinds[] = {
    {"disorder", "Couplings J of a batch of realizations."},
    {"state",
     "Spins at the end of a thermalization or a run, and everything that an exact continuation needs."},
    {"run",
     "Sums over the measurements of a run, in blocks of sweeps; means are sums divided by /blocks/count."},
    {"checkpoint", "A stopped run or thermalization; the same command resumes from here."},
    {"observables", "Thermal averages of each realization, with errors and the verdict on equilibration."},
    {"relaxation", "Sums at times after the start of a relaxation."},
    {"reduced", "Averages over the disorder for all sizes of a study, in groups L4, L6, ..."},
    {"ladder",
     "Ladders of temperatures that were tried, in groups round0 (the ladder of the study), round1, ..."},
};

constexpr const char* conventions =
    "H = -sum_<ij> J_ij s_i s_j - h sum_i s_i, spins s = +1 or -1, N = L^d sites, energies in J, "
    "temperatures in J/k_B, beta = 1/T.\n"
    "Averages: <> thermal, [] over realizations of the couplings. Overlap of replicas a and b: q = sum_i "
    "s_i^a s_i^b / N.\n"
    "Every dataset has the attributes doc (a description), unit (1: none) and axes (their names, the "
    "slowest first).\n"
    "Site (x, y, z) is element [z][y][x]. Direction 0, 1, 2 of a coupling leads to the neighbour in +x, +y,"
    " +z. Temperatures ascend.\n"
    "A realization r has the same couplings in every file. Local realization i is number first_realization "
    "+ i.\n";

constexpr const char* attributes =
    "Each file has the root attributes that apply to its kind.\n"
    "kind: contents of the file.\n"
    "format_version, physics_version, analysis_version: versions that change with the layout, with bits of "
    "spins or sums, with averages or errors.\n"
    "first_realization, realizations: number of the first realization, and how many.\n"
    "L, seed: lattice size, seed of the study.\n"
    "model, dimension, field, p_ferro (probability of J = +1), p_absent, boundary, update, law: keys of the"
    " model.\n"
    "physics: all keys that the numbers depend on, as YAML.\n"
    "couplings_hash: XXH64 of the couplings.\n"
    "couplings_origin: origin of couplings that gen-disorder did not draw.\n"
    "run_first, run_last: sweeps since the end of thermalization.\n"
    "relax, relax_first, relax_last: times and temperatures of a relaxation, sweeps since its start.\n"
    "grid_base, run.blocks, run.measure_every, run.histogram_bins: sweeps of the first octave, blocks, "
    "sweeps between measurements, bins.\n"
    "averaged_from, run.discard, measurements: first sweep of the averages, discarded fraction, number of "
    "averaged measurements.\n"
    "replicas, specific_heat_estimator: number of replicas, estimator of the specific heat.\n"
    "call: call of the program that the checkpoint continues.\n"
    "rounds, chosen, constant, converged: ladders that were tried, the best, the best of equal acceptances,"
    " whether acceptances became equal.\n"
    "sweeps_per_swap, target_acceptance, tune_sweeps: settings of the search for a ladder.\n"
    "sealed: 1 if a checksum of all bytes follows the end.\n"
    "/provenance: program, version, command line, configuration, machine, times, hashes of the inputs.";

constexpr Text groups[] = {
    {"blocks",
     "Sums over the measurements in consecutive blocks of sweeps, from /blocks/edges to the next edge."},
    {"choices", "Estimates for other numbers of temperatures over the same range."},
    {"covariance",
     "Covariances of two datasets of /mean, from blocks; in files of a single realization, whose errors are "
     "thermal."},
    {"equilibration", "Tests of equilibrium of each realization, and the verdict."},
    {"error", "Standard errors of the datasets of /mean, from blocks of the run."},
    {"histogram", "How often overlaps were measured, in equal bins from -1 to 1."},
    {"hottest",
     "The hottest temperature without exchange after the end of the run: how fast its spins decorrelate."},
    {"houdayer", "Houdayer moves of pairs of replicas, and their clusters."},
    {"jackknife",
     "Averages without one group of realizations each; their scatter gives the covariance of any function of "
     "averages."},
    {"L#", "Averages over the realizations of one lattice size."},
    {"log2",
     "Means over the log2 bins of the run: its last half, the quarter before it, the eighth before that, "
     "..."},
    {"lowest", "The lowest energies that were found at the coldest temperature."},
    {"mean", "Thermal averages of each realization over the part of the run that is not discarded."},
    {"relaxation", "Sums over sites, bonds or distances at each time."},
    {"round#", "A ladder that was tried, and its measurements."},
    {"shared", "Common thermal noise of realizations that share random numbers (a share group)."},
    {"snapshots", "Spins during the run, as bits."},
    {"tau", "Integrated autocorrelation times."},
    {"tempering", "Exchanges of temperatures, and the walk of lattices (walkers) through them."},
};

/// Returns the last name of a path, with its digits replaced by one #.
std::string last_name(const std::string& path) {
    std::string name = path.substr(path.rfind('/') + 1);
    const auto digit =
        std::find_if(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    const bool numbered = name != "log2" && digit != name.begin() && digit != name.end();
    return numbered ? std::string(name.begin(), digit) + "#" : name;
}

template <class Table>
std::string find(const Table& table, const std::string& name) {
    const auto found =
        std::find_if(std::begin(table), std::end(table), [&](const Text& row) { return row.name == name; });
    return found == std::end(table) ? std::string() : found->text;
}

}  // namespace

std::string file_doc(const std::string& kind) {
    const std::string what = find(kinds, kind);
    return what.empty() ? what : what + "\n" + conventions + attributes;
}

std::string group_doc(const std::string& path) {
    return find(groups, last_name(path));
}

}  // namespace psflip
