#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// What the program `measure` is asked to do.
struct AnalyseOptions {
    std::string disorder;
    std::vector<std::string> runs;  ///< consecutive run files of one batch, in any order
    std::string out;
    bool from_snapshots = false;  ///< measure the snapshots of the runs anew instead of taking their sums
    bool force = false;           ///< an output of another batch or of longer runs may be replaced
    BackendChoice backend;        ///< threads for all of the work, the rest for from_snapshots
    Provenance provenance;        ///< of the program; input hashes (and backend) are added here
};

/// Thermal averages of one batch of realizations, their errors and autocorrelation times, and the verdict of
/// the log2 test, to an observables file. Averages, errors and times are from the sweeps after the attribute
/// averaged_from, which run.discard sets; tests, bins, walk and histogram from all sweeps of the run files:
///   /temperatures (T), /realization int64 (R), and where bonds are absent /bonds int64 (R);
///   /mean/O, /error/O (T, R) for the observables of observables.hpp that the study has, intensive. What
///   follows is for overlaps; without them m^2 is in the place of q^2, and there is nothing for q_link;
///   /shared/O (T, packs) for energy, specific_heat, q_abs, q2, q4, q_link, kmin: what sharing random numbers
///   adds to the variance of the sum of /mean/O over the realizations of a pack, see shared_noise.hpp;
///   /shared/q2_q4 and q2_kmin (T, packs) to the covariance of two (none of them for multispin.share 1);
///   /tau/energy, /tau/q2 (T, R) sweeps, /tau/blocks int32 (T, R), /tau/too_short uint8 (T, R), see
///   thermal_means.hpp; /tau/walk (R) sweeps, see walk.hpp (not there
///   with one temperature); /equilibration/equilibrated uint8 (R), max_deviation (R) sigma, worst_temperature
///   int32 (R) slot, sigma_energy, sigma_q2
///     (2, T, R): deviation of the last bin from the one before and from the one before that, dof_energy,
///     dof_q2 int32 (T, R); attributes test, threshold_sigma, min_walk_times and basis (verdict_basis)
///     of the group, see equilibration.hpp. Equilibrated is what passes the log2 test, has walked for long
///     enough, has moved, and forgets at the hottest temperature by itself. For the latter, not in a field
///     and not of vector spins, see hottest_slot.hpp: hottest_sweeps (K), hottest_correlation,
///     hottest_square (K, R), hottest_time (R) sweeps. With the test `none`, equilibrated is 1 for all, and
///     the numbers are the same;
///   /log2/edges (B + 1), count (B), energy, q2, q_link (B, T, R): means per bin of halving_edges;
///   with multispin.share > 1, /log2/pack_noise_O (attribute dof) and pack_excess_O (T, packs) for these, see
///   pack_noise.hpp;
///   /histogram/overlap uint32 (T, bin, R);
///   /tempering/swap_rate (T-1, R) accepted / attempted over all replicas, round_trips int64 (R) of all
///   replicas, sweeps int64 (1).
/// Root attributes first_realization, realizations, L, physics, run_last, averaged_from (sweeps),
/// run.discard, measurements (in the averages), replicas, and specific_heat_estimator. Throws InputError as
/// read_runs, where `out` is an input, and, without options.force, where it would replace what is longer or
/// of another batch; EnvironmentError where `out` cannot be written.
void analyse_run(const Config& config, const Parameters& parameters, const AnalyseOptions& options);

/// What it checks of its inputs, and of what `out` would replace, before it works; for --validate. Names that
/// are not given are empty: runs without couplings are compared with the parameters alone. Errors as
/// analyse_run.
void check_analyse_run(const Parameters& parameters, const AnalyseOptions& options);

}  // namespace psflip
